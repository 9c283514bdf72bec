; One constructor per linked object registers all records; no sanitizer touches it.
; RUN: %opt -passes=weavefuzz -S %s | %FileCheck %s

; CHECK: $weavefuzz.module_ctor = comdat any
; CHECK-DAG: @__start_weavefuzz_sites = extern_weak hidden constant i8
; CHECK-DAG: @__stop_weavefuzz_sites = extern_weak hidden constant i8
; CHECK-DAG: @__start_weavefuzz_modules = extern_weak hidden constant i8
; CHECK-DAG: @__stop_weavefuzz_modules = extern_weak hidden constant i8
; CHECK-DAG: @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @weavefuzz.module_ctor, ptr @weavefuzz.module_ctor }]
; CHECK: define internal void @weavefuzz.module_ctor() #[[#CTOR:]] comdat
; CHECK-NEXT: call void @__weavefuzz_register(ptr @__start_weavefuzz_sites, ptr @__stop_weavefuzz_sites, ptr @__start_weavefuzz_modules, ptr @__stop_weavefuzz_modules)
; CHECK-NEXT: ret void
; CHECK: attributes #[[#CTOR]] = { {{.*}}disable_sanitizer_instrumentation{{.*}}nosanitize_coverage
define void @f() {
  ret void
}
