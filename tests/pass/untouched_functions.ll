; Naked and available_externally functions are neither changed nor counted.
; RUN: %opt -passes=weavefuzz -weavefuzz-stats -S %s 2>&1 | %FileCheck %s

@shared = global i32 0

; CHECK: 0 accesses, 0 instrumented
; CHECK-NOT: call void @__weavefuzz_access
define void @bare() naked {
  call void asm sideeffect "ret", "~{memory}"()
  unreachable
}
define available_externally void @elsewhere() {
  store i32 1, ptr @shared
  ret void
}
