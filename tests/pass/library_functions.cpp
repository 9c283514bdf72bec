// The function that finds the entry for a std::atomic that is waited on is the runtime's, at every level.
// RUN: %clangxx %load -std=c++20 -O0 -S -emit-llvm -o - %s | %FileCheck %s
// RUN: %clangxx %load -std=c++20 -O2 -S -emit-llvm -o - %s | %FileCheck %s

#include <atomic>

// CHECK-NOT: @_ZZNSt8__detail18__waiter_pool_base6_S_forEPKvE3__w
// CHECK-NOT: define {{.*}}@_ZNSt8__detail18__waiter_pool_base6_S_forEPKv
// CHECK: call {{.*}}@_ZNSt8__detail18__waiter_pool_base6_S_forEPKv
// CHECK-NOT: define {{.*}}@_ZNSt8__detail18__waiter_pool_base6_S_forEPKv
// CHECK: declare {{.*}}@_ZNSt8__detail18__waiter_pool_base6_S_forEPKv
void wait_for(std::atomic<int>& atomic) { atomic.wait(0); }
