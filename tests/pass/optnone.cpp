// A function that must not be optimised is instrumented all the same.
// RUN: %clangxx %load -O2 -S -emit-llvm -o - %s | %FileCheck %s

int shared;
// CHECK-LABEL: define {{.*}} @_Z4slowv
// CHECK: call void @__weavefuzz_access({{.*}}, ptr {{.*}}@shared, i32 1, i64 4)
// CHECK-NEXT: store i32 1, ptr @shared
__attribute__((optnone)) void slow() { shared = 1; }
