; Functions are named as a person writes them: demangled, without parameters, lambdas readable.
; RUN: %opt -passes=weavefuzz -S %s | %sites | %FileCheck %s

@shared = global i32 0
; CHECK: Write 4 main
define void @main() {
  store i32 1, ptr @shared
  ret void
}
; CHECK: Write 4 Account::deposit {{.*}}ll:0
define void @_ZN7Account7depositEi() {
  store i32 1, ptr @shared
  ret void
}
; CHECK: Write 4 bump<int> {{.*}}ll:0
define void @_Z4bumpIiEvRT_() {
  store i32 1, ptr @shared
  ret void
}
; CHECK: Write 4 (anonymous namespace)::f {{.*}}ll:0
define void @_ZN12_GLOBAL__N_11fEPFviE() {
  store i32 1, ptr @shared
  ret void
}
; CHECK: Write 4 main::{lambda} {{.*}}ll:0
define void @"_ZZ4mainENK3$_0clEv"() {
  store i32 1, ptr @shared
  ret void
}
; CHECK: Write 4 g::{lambda} {{.*}}ll:0
define void @_ZZ1giENKUliE_clEi() {
  store i32 1, ptr @shared
  ret void
}
; CHECK: Write 4 count {{.*}}ll:0
define void @_Z5countPi.resume() {
  store i32 1, ptr @shared
  ret void
}
; CHECK: Write 4 Key::operator< {{.*}}ll:0
define void @_ZNK3KeyltERKS_() {
  store i32 1, ptr @shared
  ret void
}
