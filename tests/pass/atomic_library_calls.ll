; Atomic objects too large for an instruction are seen through the calls that libatomic answers.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

declare void @__atomic_load(i64, ptr, ptr, i32)
declare i128 @__atomic_load_16(ptr, i32)
declare i1 @__atomic_compare_exchange(i64, ptr, ptr, ptr, i32, i32)
declare i32 @__atomic_is_lock_free(i64, ptr)

; CHECK-LABEL: define void @all(
; CHECK:         call void @__weavefuzz_access({{.*}}, ptr %p, i32 2, i64 24)
; CHECK-NEXT:    call void @__atomic_load(
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %p, i32 2, i64 16)
; CHECK-NEXT:    call i128 @__atomic_load_16(
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %p, i32 5, i64 24)
; CHECK-NEXT:    call i1 @__atomic_compare_exchange(
; CHECK-NEXT:    call i32 @__atomic_is_lock_free(
define void @all(ptr %p, ptr %q) {
  call void @__atomic_load(i64 24, ptr %p, ptr %q, i32 5)
  %a = call i128 @__atomic_load_16(ptr %p, i32 5)
  %b = call i1 @__atomic_compare_exchange(i64 24, ptr %p, ptr %q, ptr %q, i32 5, i32 5)
  %c = call i32 @__atomic_is_lock_free(i64 24, ptr %p)
  ret void
}
