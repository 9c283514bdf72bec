; Masked vector accesses count as ranges of full size; gathers have no single address.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

; CHECK-LABEL: define void @f(
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %p, i32 7, i64 16)
; CHECK-NEXT:    @llvm.masked.load
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %p, i32 8, i64 16)
; CHECK-NEXT:    @llvm.masked.store
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr null, i32 7, i64 0)
; CHECK-NEXT:    @llvm.masked.gather
define void @f(ptr %p, <4 x ptr> %ps, <4 x i1> %m) {
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> %m, <4 x i32> zeroinitializer)
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr %p, i32 4, <4 x i1> %m)
  %g = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %ps, i32 4, <4 x i1> %m, <4 x i32> zeroinitializer)
  ret void
}
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)
