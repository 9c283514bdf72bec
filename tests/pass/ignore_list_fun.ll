; `fun:` entries match mangled and demangled names, with and without parameters.
; RUN: printf '[weavefuzz]\nfun:_Z3onei\nfun:two(int)\nfun:ns::three\n[other]\nfun:*four*\n' > %t.list
; RUN: %opt -passes=weavefuzz -weavefuzz-ignore-list=%t.list -weavefuzz-stats -S %s 2>&1 | %FileCheck %s

@shared = global i32 0

; CHECK: 4 accesses, 1 instrumented, skipped 0 local, 0 constant, 0 compiler, 3 ignored
; CHECK: @__weavefuzz_sites._Z4fouri = private constant
; CHECK-NOT: @__weavefuzz_sites.{{.*}} = private
; CHECK-LABEL: define void @_Z3onei
define void @_Z3onei(i32 %x) {
  store i32 %x, ptr @shared
  ret void
}
define void @_Z3twoi(i32 %x) {
  store i32 %x, ptr @shared
  ret void
}
define void @_ZN2ns5threeEi(i32 %x) {
  store i32 %x, ptr @shared
  ret void
}
define void @_Z4fouri(i32 %x) {
  store i32 %x, ptr @shared
  ret void
}
