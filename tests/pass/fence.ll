; A fence has a hook without an address.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

; CHECK-LABEL: define void @f()
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr null, i32 6, i64 0)
; CHECK-NEXT:    fence seq_cst
define void @f() {
  fence seq_cst
  ret void
}
