; Each sort of atomic access has its own kind; the ordering does not matter.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

; CHECK-LABEL: define void @all(
; CHECK:         call void @__weavefuzz_access({{.*}}, ptr %p, i32 2, i64 4)
; CHECK-NEXT:    load atomic i32, ptr %p monotonic
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %p, i32 3, i64 8)
; CHECK-NEXT:    store atomic i64 1, ptr %p release
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %p, i32 4, i64 1)
; CHECK-NEXT:    atomicrmw add ptr %p, i8 1 seq_cst
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %p, i32 4, i64 8)
; CHECK-NEXT:    atomicrmw xchg ptr %p, ptr null acq_rel
; CHECK-NEXT:    call void @__weavefuzz_access({{.*}}, ptr %p, i32 5, i64 16)
; CHECK-NEXT:    cmpxchg weak ptr %p, i128 0, i128 1 seq_cst monotonic
define void @all(ptr %p) {
  %a = load atomic i32, ptr %p monotonic, align 4
  store atomic i64 1, ptr %p release, align 8
  %b = atomicrmw add ptr %p, i8 1 seq_cst
  %c = atomicrmw xchg ptr %p, ptr null acq_rel
  %d = cmpxchg weak ptr %p, i128 0, i128 1 seq_cst monotonic
  ret void
}
