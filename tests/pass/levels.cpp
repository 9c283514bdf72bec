// The pass runs once at each level of optimisation, before loops are vectorised.
// RUN: for level in 0 1 2 3 s; do \
// RUN:   %clangxx %load -O$level -S -emit-llvm -o - %s | %FileCheck %s || exit 1; done

int numbers[100];
// CHECK-LABEL: define {{.*}} @_Z3addv
// CHECK-COUNT-2: call void @__weavefuzz_access({{.*}}, i64 4)
// CHECK-NOT: call void @__weavefuzz_access
// CHECK-NOT: <4 x i32>
void add() {
  for (int i = 0; i < 100; ++i) ++numbers[i];
}
