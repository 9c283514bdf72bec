; Code and counters that other tools put in, and memory in other address spaces, have no hooks.
; RUN: %opt -passes=weavefuzz -weavefuzz-stats -S %s 2>&1 | %FileCheck %s

@__sancov_gen_ = private global [2 x i8] zeroinitializer, section "__sancov_cntrs"
@counters = private global [2 x i64] zeroinitializer, section "__llvm_prf_cnts"
@__llvm_gcov_ctr = internal global [2 x i64] zeroinitializer
@shared = global i32 0

; CHECK: 6 accesses, 0 instrumented, skipped 0 local, 0 constant, 6 compiler, 0 ignored
; CHECK-NOT: call void @__weavefuzz_access
define void @f() {
  %a = load i8, ptr @__sancov_gen_
  store i64 1, ptr getelementptr ([2 x i64], ptr @counters, i64 0, i64 1)
  %b = atomicrmw add ptr @__llvm_gcov_ctr, i64 1 monotonic
  store i32 1, ptr @shared, !nosanitize !0
  %c = load i32, ptr addrspace(257) null
  ret void
}

define void @__llvm_gcov_reset() {
  store i32 1, ptr @shared
  ret void
}
!0 = !{}
