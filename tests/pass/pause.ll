; An instruction that says "I am waiting" has a hook that lets others go first; other hints have none.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

; CHECK-LABEL: define void @x86()
; CHECK-NEXT:    call void @__weavefuzz_yield({{.*}})
; CHECK-NEXT:    call void @llvm.x86.sse2.pause()
define void @x86() {
  call void @llvm.x86.sse2.pause()
  ret void
}

; CHECK-LABEL: define void @assembly()
; CHECK-NEXT:    call void @__weavefuzz_yield({{.*}})
; CHECK-NEXT:    call void asm sideeffect "pause", ""()
; CHECK-NEXT:    call void @__weavefuzz_yield({{.*}})
; CHECK-NEXT:    call void asm sideeffect " rep; nop\0A", "~{memory}"()
; CHECK-NEXT:    call void @__weavefuzz_yield({{.*}})
; CHECK-NEXT:    call void asm sideeffect "yield;", "~{memory}"()
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr null, i32 9, i64 0)
; CHECK-NEXT:    call void asm sideeffect "mfence; pause", "~{memory}"()
define void @assembly() {
  call void asm sideeffect "pause", ""()
  call void asm sideeffect " rep; nop\0A", "~{memory}"()
  call void asm sideeffect "yield;", "~{memory}"()
  call void asm sideeffect "mfence; pause", "~{memory}"()
  ret void
}

; CHECK-LABEL: define void @aarch64()
; CHECK-NEXT:    call void @__weavefuzz_yield({{.*}})
; CHECK-NEXT:    call void @llvm.aarch64.hint(i32 1)
; CHECK-NEXT:    call void @__weavefuzz_yield({{.*}})
; CHECK-NEXT:    call void @llvm.aarch64.isb(i32 15)
; CHECK-NEXT:    call void @llvm.aarch64.hint(i32 0)
define void @aarch64() {
  call void @llvm.aarch64.hint(i32 1)
  call void @llvm.aarch64.isb(i32 15)
  call void @llvm.aarch64.hint(i32 0)
  ret void
}

declare void @llvm.x86.sse2.pause()
declare void @llvm.aarch64.hint(i32)
declare void @llvm.aarch64.isb(i32)
