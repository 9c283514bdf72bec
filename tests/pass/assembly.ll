; Inline assembly that may touch memory has a hook without an address; a mere computation has none.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

; CHECK-LABEL: define i32 @f()
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr null, i32 9, i64 0)
; CHECK-NEXT:    call void asm sideeffect "", "~{memory}"()
; CHECK-NEXT:    call i32 asm "movl $$1, $0", "=r"()
define i32 @f() {
  call void asm sideeffect "", "~{memory}"()
  %r = call i32 asm "movl $$1, $0", "=r"() readnone
  ret i32 %r
}
