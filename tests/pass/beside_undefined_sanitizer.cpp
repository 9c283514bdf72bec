// The checks of UndefinedBehaviorSanitizer have no hooks.
// RUN: for level in 0 2; do %clangxx %load -O$level -fsanitize=undefined -fno-sanitize=vptr \
// RUN:   -S -emit-llvm -o - %s 2>&1 | %FileCheck %s || exit 1; done

int numbers[10];
// CHECK-LABEL: define {{.*}} @_Z3addi
// CHECK: call void @__ubsan_handle_out_of_bounds
// CHECK-COUNT-2: call void @__weavefuzz_access(
// CHECK-NOT: call void @__weavefuzz_access(
void add(int i) { numbers[i] += i; }
