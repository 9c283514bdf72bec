; Copies have a hook for what they read and one for what they write; sizes may be run-time values.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

; CHECK-LABEL: define void @f(
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %b, i32 7, i64 40)
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %a, i32 8, i64 40)
; CHECK-NEXT:    call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 40, i1 false)
; CHECK-NEXT:    [[READ:%.*]] = zext i32 %n to i64
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %b, i32 7, i64 [[READ]])
; CHECK-NEXT:    [[WRITTEN:%.*]] = zext i32 %n to i64
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %a, i32 8, i64 [[WRITTEN]])
; CHECK-NEXT:    call void @llvm.memmove.p0.p0.i32(
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %a, i32 8, i64 16)
; CHECK-NEXT:    call void @llvm.memset.p0.i64(
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %b, i32 7, i64 8)
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %a, i32 8, i64 8)
; CHECK-NEXT:    call void @llvm.memcpy.inline.p0.p0.i64(
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %b, i32 7, i64 12)
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %a, i32 8, i64 12)
; CHECK-NEXT:    call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(
; CHECK-NEXT:    call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 0, i1 false)
; CHECK-NEXT:    ret void
define void @f(ptr %a, ptr %b, i32 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 40, i1 false)
  call void @llvm.memmove.p0.p0.i32(ptr %a, ptr %b, i32 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 16, i1 false)
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %a, ptr %b, i64 8, i1 false)
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %a, ptr align 4 %b, i64 12, i32 4)
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 0, i1 false)
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
