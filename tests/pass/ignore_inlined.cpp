// Code that was inlined from an ignored function is still ignored, if debug information tells.
// RUN: printf '[weavefuzz]\nfun:by_list\n' > %t.list
// RUN: %clangxx %load -O2 -g -mllvm -weavefuzz-ignore-list=%t.list -mllvm -weavefuzz-stats \
// RUN:   -S -emit-llvm -o - %s 2>&1 | %FileCheck %s

int a, b, c;
__attribute__((annotate("weavefuzz_ignore"))) static inline void by_annotation() { a = 1; }
static inline void by_list() { b = 2; }

// CHECK: 1 instrumented, skipped 0 local, 0 constant, 0 compiler,
// CHECK-LABEL: define {{.*}} @_Z6callerv
// CHECK: store i32 1, ptr @a
// CHECK-NEXT: store i32 2, ptr @b
// CHECK-NEXT: call void @__weavefuzz_access({{.*}}, ptr {{.*}}@c,
void caller() {
  by_annotation();
  by_list();
  c = 3;
}
