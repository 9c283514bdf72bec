// Code inlined from a system header is reported where the program calls it; else it is marked.
// RUN: %clangxx %load -O2 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s
// RUN: %clangxx %load -O0 -g -S -emit-llvm -o - %s | %sites | %FileCheck --check-prefix=O0 %s

#include <atomic>
std::atomic<int> hits;

// CHECK: in _Z5visitv: AtomicUpdate 4 visit inlined_library_code.cpp:[[#@LINE+2]]:22 [hits] -
// O0: in _ZNSt13__atomic_baseIiEppEi: AtomicUpdate 4 std::__atomic_base<int>::{{.*}} atomic_base.h:{{.*}} [std::__atomic_base::_M_i] system-header
void visit() { (void)hits++; }
