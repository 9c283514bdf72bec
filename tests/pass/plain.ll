; A load-modify-store on a shared counter gets one hook before each access, and nothing else moves.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

@counter = global i32 0

; CHECK-LABEL: define void @increment()
; CHECK-NEXT:    call void @__weavefuzz_access(ptr @__weavefuzz_sites.increment, ptr @counter, i32 0, i64 4)
; CHECK-NEXT:    %old = load i32, ptr @counter
; CHECK-NEXT:    %new = add i32 %old, 1
; CHECK-NEXT:    call void @__weavefuzz_access(ptr getelementptr inbounds ([2 x %weavefuzz.site], ptr @__weavefuzz_sites.increment, i64 0, i64 1), ptr @counter, i32 1, i64 4)
; CHECK-NEXT:    store i32 %new, ptr @counter
; CHECK-NEXT:    ret void
; CHECK: declare void @__weavefuzz_access(ptr, ptr, i32, i64) #[[#HOOK:]]
; CHECK: attributes #[[#HOOK]] = { nounwind }
define void @increment() {
  %old = load i32, ptr @counter
  %new = add i32 %old, 1
  store i32 %new, ptr @counter
  ret void
}
