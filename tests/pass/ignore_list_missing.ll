; An ignore list that cannot be read is an error, not a crash.
; RUN: ! %opt -passes=weavefuzz -weavefuzz-ignore-list=%t.missing -S %s > %t.out 2>&1
; RUN: %FileCheck %s < %t.out
; RUN: printf '[weavefuzz\n' > %t.broken
; RUN: ! %opt -passes=weavefuzz -weavefuzz-ignore-list=%t.broken -S %s > %t.out 2>&1
; RUN: %FileCheck --check-prefix=BROKEN %s < %t.out
; RUN: ! %clang %load -mllvm -weavefuzz-ignore-list=%t.missing -c -o %t.o %s > %t.out 2>&1
; RUN: %FileCheck %s < %t.out

; CHECK: error: weavefuzz: ignore list: can't open file '{{.*}}missing'
; CHECK-NOT: Stack dump
; BROKEN: error: weavefuzz: ignore list: error parsing file '{{.*}}broken': malformed section header
define void @f() {
  ret void
}
