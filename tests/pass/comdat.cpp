// The sites of a template share the group of its code, so that the linker drops both or neither.
// RUN: %clangxx %load -O0 -S -emit-llvm -o - %s | %FileCheck %s

// CHECK: @__weavefuzz_sites._Z4bumpIiEvRT_ = {{.*}}section "weavefuzz_sites", no_sanitize_address, no_sanitize_hwaddress, comdat($_Z4bumpIiEvRT_), align 8
// CHECK: @llvm.compiler.used = {{.*}}@__weavefuzz_sites._Z4bumpIiEvRT_
template <class T>
void bump(T& value) {
  ++value;
}
void use(int& value) { bump(value); }
