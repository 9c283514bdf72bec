; Constant globals, invariant loads, vtable pointers and what is read from a vtable have no hooks.
; RUN: %opt -passes=weavefuzz -weavefuzz-stats -S %s 2>&1 | %FileCheck %s

@table = constant [2 x i32] [i32 1, i32 2]

; CHECK: 4 accesses, 0 instrumented, skipped 0 local, 4 constant, 0 compiler, 0 ignored
; CHECK-NOT: call void @__weavefuzz_access
define void @f(ptr %object, ptr %p, i64 %i) {
  %entry = getelementptr [2 x i32], ptr @table, i64 0, i64 %i
  %a = load i32, ptr %entry
  %b = load i32, ptr %p, !invariant.load !3
  %vtable = load ptr, ptr %object, !tbaa !0
  %slot = getelementptr inbounds ptr, ptr %vtable, i64 1
  %method = load ptr, ptr %slot
  call void %method(ptr %object)
  ret void
}
!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2, i64 0}
!2 = !{!"Simple C++ TBAA"}
!3 = !{}
