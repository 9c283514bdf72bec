// Atomics are seen before ThreadSanitizer turns them into calls; it leaves what we generate alone.
// RUN: for level in 0 2; do \
// RUN:   %clangxx %load -O$level -fsanitize=thread -S -emit-llvm -o - %s | %FileCheck %s || exit 1; done

int shared;
int number;
thread_local int mine = 7;
// CHECK-LABEL: define {{.*}} @_Z6updatev
// CHECK: call void @__weavefuzz_access({{.*}}, ptr {{.*}}@shared, i32 4, i64 4)
// CHECK-NEXT: call i32 @__tsan_atomic32_fetch_add(
// CHECK: call void @__weavefuzz_access({{.*}}, ptr {{.*}}@number, i32 1, i64 4)
// CHECK: call void @__tsan_write4(
int update() {
  __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
  number = 1;
  return mine;
}
// CHECK-LABEL: define internal void @__weavefuzz_reset_thread_locals()
// CHECK-NOT: @__tsan
// CHECK-LABEL: define internal void @weavefuzz.module_ctor()
// CHECK-NOT: @__tsan
// CHECK: ret void
