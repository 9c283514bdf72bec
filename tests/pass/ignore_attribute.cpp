// Functions that ask for it by attribute have no hooks, and nor has code that was inlined from them.
// RUN: %clangxx %load -O0 -mllvm -weavefuzz-stats -S -emit-llvm -o - %s 2>&1 | %FileCheck %s
// RUN: %clangxx %load -O2 -g -mllvm -weavefuzz-stats -S -emit-llvm -o - %s 2>&1 | %FileCheck %s

int shared;

// CHECK: 3 accesses, 1 instrumented, skipped 0 local, 0 constant, 0 compiler, 2 ignored
// CHECK-LABEL: define {{.*}} @_Z9annotatedv
// CHECK-NOT: call void @__weavefuzz_access
// CHECK-LABEL: define {{.*}} @_Z8disabledv
// CHECK-NOT: call void @__weavefuzz_access
// CHECK-LABEL: define {{.*}} @_Z8ordinaryv
// CHECK: call void @__weavefuzz_access
// CHECK-NOT: call void @__weavefuzz_access
__attribute__((annotate("weavefuzz_ignore"), noinline)) void annotated() { shared = 1; }
__attribute__((disable_sanitizer_instrumentation)) void disabled() { shared = 2; }
void ordinary() { shared = 3; }
