; `src:` entries match the source file.
; RUN: printf '[weavefuzz]\nsrc:*/third_party/*\n' > %t.list
; RUN: %opt -passes=weavefuzz -weavefuzz-ignore-list=%t.list -weavefuzz-stats -S %s 2>&1 | %FileCheck %s

source_filename = "src/third_party/queue.cpp"
@shared = global i32 0

; CHECK: weavefuzz: src/third_party/queue.cpp: 1 accesses, 0 instrumented, skipped 0 local, 0 constant, 0 compiler, 1 ignored
define void @f() {
  store i32 1, ptr @shared
  ret void
}
