// Fields are named after the class that declares them: by type at -O0, by alias tag when optimised.
// RUN: %clangxx %load -O0 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s
// RUN: %clangxx %load -O2 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s

namespace bank {
struct Entry {
  int id;
};
struct Account : Entry {
  union {
    int cents;
    float rate;
  };
  struct {
    int low, high;
  } limit;
  int history[4];
  void deposit(int n);
};
}  // namespace bank
bank::Account* find(int);

// CHECK-DAG: Write 4 bank::Account::deposit {{.*}} [bank::Account::cents]
// CHECK-DAG: Write 4 bank::Account::deposit {{.*}} [bank::Account::limit.high]
// CHECK-DAG: Write 4 bank::Account::deposit {{.*}} [bank::Account::history[]]
// CHECK-DAG: Write 4 bank::Account::deposit {{.*}} [bank::Entry::id]
// CHECK-DAG: in _Z5otheri: Write 4 other {{.*}} [bank::Account::limit.low]
void bank::Account::deposit(int n) {
  cents = n;
  limit.high = n;
  history[n] = n;
  id = n;
}
void other(int i) { find(i)->limit.low = i; }
