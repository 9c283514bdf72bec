; A stack variable whose address stays in the function has no hooks, through a select or a field too.
; RUN: %opt -passes=weavefuzz -weavefuzz-stats -S %s 2>&1 | %FileCheck %s

; CHECK: weavefuzz: {{.*}}skip_local.ll: 5 accesses, 0 instrumented, skipped 5 local, 0 constant, 0 compiler, 0 ignored
; CHECK-NOT: call void @__weavefuzz_access
define i32 @f(i1 %c, ptr byval([4 x i32]) %copy) {
  %a = alloca [4 x i32]
  %b = alloca i32
  store i32 1, ptr %b
  %field = getelementptr [4 x i32], ptr %a, i64 0, i64 2
  store i32 2, ptr %field
  %either = select i1 %c, ptr %field, ptr %b
  %v = load i32, ptr %either
  %w = load i32, ptr %copy
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 16, i1 false)
  ret i32 %v
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
