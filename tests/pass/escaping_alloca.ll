; A stack variable whose address leaves the function is shared, before and after it leaves.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

@slot = global ptr null
declare void @publish(ptr)

; CHECK-LABEL: define void @by_call()
; CHECK:         call void @__weavefuzz_access({{.*}}, ptr %a, i32 1, i64 4)
; CHECK-NEXT:    store i32 1, ptr %a
define void @by_call() {
  %a = alloca i32
  store i32 1, ptr %a
  call void @publish(ptr %a)
  ret void
}

; CHECK-LABEL: define i32 @by_store()
; CHECK:         call void @__weavefuzz_access({{.*}}, ptr %a, i32 0, i64 4)
; CHECK-NEXT:    load i32, ptr %a
define i32 @by_store() {
  %a = alloca i32
  store ptr %a, ptr @slot
  %v = load i32, ptr %a
  ret i32 %v
}

; Either may be meant, so the access counts as shared.
; CHECK-LABEL: define void @one_of_two(
; CHECK:         call void @__weavefuzz_access({{.*}}, ptr %either, i32 1, i64 4)
define void @one_of_two(i1 %c, ptr %p) {
  %a = alloca i32
  %either = select i1 %c, ptr %a, ptr %p
  store i32 1, ptr %either
  ret void
}
