// Coverage counters, of fuzzers and of profiles, never have hooks.
// RUN: for level in 0 2; do for flag in -fsanitize=fuzzer-no-link -fprofile-instr-generate --coverage; do \
// RUN:   %clangxx %load -O$level $flag -mllvm -weavefuzz-stats -S -emit-llvm -o - %s 2>&1 \
// RUN:   | %FileCheck %s || exit 1; done; done

int shared;
// CHECK: 1 instrumented
// CHECK-LABEL: define {{.*}} @_Z5storei
// CHECK-COUNT-1: call void @__weavefuzz_access({{.*}}, ptr {{.*}}@shared, i32 1,
// CHECK-NOT: call void @__weavefuzz_access(
// CHECK-LABEL: define internal void @weavefuzz.module_ctor()
// CHECK-NEXT: call void @__weavefuzz_register
void store(int x) {
  if (x > 3) shared = x;
}
