; Nothing stands between a musttail call and its return.
; RUN: %opt -passes=weavefuzz -weavefuzz-context -S %s | %FileCheck %s

@shared = global i32 0
declare void @next()
; CHECK-LABEL: define void @f()
; CHECK: call void @__weavefuzz_enter(
; CHECK: call void @__weavefuzz_access(
; CHECK-NEXT: store i32 1, ptr @shared
; CHECK-NEXT: call void @__weavefuzz_exit()
; CHECK-NEXT: musttail call void @next()
; CHECK-NEXT: ret void
define void @f() nounwind {
  store i32 1, ptr @shared
  musttail call void @next()
  ret void
}
