// Hooks stand right before their access, also after an invoke and in a handler.
// RUN: for level in 0 2; do \
// RUN:   %clangxx %load -O$level -S -emit-llvm -o - %s | %FileCheck %s || exit 1; done
// RUN: %clangxx %load -O0 -mllvm -weavefuzz-context -S -emit-llvm -o - %s | %FileCheck %s

void may_throw();
int shared;

// CHECK-LABEL: define {{.*}} @_Z1fv
// CHECK: invoke void @_Z9may_throwv()
// CHECK: landingpad
// CHECK: call ptr @__cxa_begin_catch
// CHECK: call void @__weavefuzz_access({{.*}}, ptr {{.*}}@shared, i32 1, i64 4)
// CHECK-NEXT: store i32 2, ptr @shared
void f() {
  try {
    may_throw();
  } catch (...) {
    shared = 2;
  }
}
