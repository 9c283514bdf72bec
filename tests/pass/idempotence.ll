; Running the pass again changes nothing: a plugin may be loaded twice.
; RUN: %opt -passes=weavefuzz -S %s -o %t.1
; RUN: %opt -passes=weavefuzz,weavefuzz -S %s -o %t.2
; RUN: diff %t.1 %t.2
; RUN: %FileCheck %s < %t.2
; RUN: %clang %load -fpass-plugin=%plugin -O1 -S -emit-llvm -o - -x ir %s | %FileCheck %s

@shared = global i32 0
; CHECK-LABEL: define {{.*}}void @f()
; CHECK-COUNT-1: call void @__weavefuzz_access
; CHECK-NOT: call void @__weavefuzz_access
define void @f() {
  store i32 1, ptr @shared
  ret void
}
