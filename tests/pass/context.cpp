// On request, entry and every way out of a function have hooks; by default none has.
// RUN: %clangxx %load -O1 -g -mllvm -weavefuzz-context -S -emit-llvm -o %t.ll %s
// RUN: %FileCheck %s < %t.ll
// RUN: %sites < %t.ll | %FileCheck --check-prefix=SITES %s
// RUN: %clangxx %load -O1 -S -emit-llvm -o - %s | %FileCheck --check-prefix=NONE %s

void may_throw();
int shared;

// SITES: in _Z1fi: Enter 0 f context.cpp:[[#@LINE+12]]:0 []
// CHECK-LABEL: define {{.*}} @_Z1fi
// CHECK: call void @__weavefuzz_enter(
// CHECK: call void @__weavefuzz_access(
// CHECK: invoke void @_Z9may_throwv()
// CHECK: call void @__weavefuzz_exit()
// CHECK-NEXT: ret
// CHECK: landingpad
// CHECK: cleanup
// CHECK: call void @__weavefuzz_exit()
// CHECK-NEXT: resume
// NONE-NOT: @__weavefuzz_enter
int f(int n) {
  shared = n;
  may_throw();
  return n;
}
