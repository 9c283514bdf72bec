; One record per module holds the version, the counts and the source file; it survives the linker.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

source_filename = "bank.cpp"
@shared = global i32 0
@fixed = constant i32 0

; CHECK: %weavefuzz.site = type { i32, i32, i32, i32, i32, i16, i8, i8, i32, i32 }
; CHECK: %weavefuzz.module = type { i32, i32, [4 x i32], ptr, ptr }
; CHECK: [[NAME:@__weavefuzz_string.*]] = private unnamed_addr constant [9 x i8] c"bank.cpp\00"
; CHECK: @__weavefuzz_module = private global %weavefuzz.module { i32 1, i32 2, [4 x i32] [i32 3, i32 1, i32 0, i32 0], ptr [[NAME]], ptr null }, section "weavefuzz_modules"{{.*}}, align 8
; CHECK: @llvm.used = appending global [1 x ptr] [ptr @__weavefuzz_module], section "llvm.metadata"
define void @f() {
  %a = alloca i32
  store i32 1, ptr %a
  store i32 1, ptr %a
  store i32 1, ptr %a
  %v = load i32, ptr @fixed
  store i32 1, ptr @shared
  store i32 1, ptr @shared
  ret void
}
