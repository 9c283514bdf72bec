// Globals are named as in the source, with the fields and elements that an access touches.
// RUN: %clangxx %load -O0 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s
// RUN: %clangxx %load -O2 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s

struct Account {
  int id;
  int balance;
  static int total;
};
int Account::total;
namespace hidden {
static int count;
}
Account bank, banks[4];
int counts[8];
extern Account elsewhere;

// CHECK-DAG: in _Z3alli: Write 4 all names_global.cpp:{{.*}} [bank.balance]
// CHECK-DAG: in _Z3alli: Write 4 all names_global.cpp:{{.*}} [banks[].balance]
// CHECK-DAG: in _Z3alli: Write 4 all names_global.cpp:{{.*}} [counts[]]
// CHECK-DAG: in _Z3alli: Write 4 all names_global.cpp:{{.*}} [Account::total]
// CHECK-DAG: in _Z3alli: Write 4 all names_global.cpp:{{.*}} [elsewhere.balance]
// CHECK-DAG: in _Z3alli: Write 4 all names_global.cpp:{{.*}} [local]
// CHECK-DAG: in _Z3alli: AtomicUpdate 4 all names_global.cpp:{{.*}} [count]
int all(int i) {
  static int local;
  bank.balance = i;
  banks[i].balance = i;
  counts[i] = i;
  Account::total = i;
  elsewhere.balance = i;
  local = local + i;
  return __atomic_fetch_add(&hidden::count, 1, __ATOMIC_RELAXED);
}
