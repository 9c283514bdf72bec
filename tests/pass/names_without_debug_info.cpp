// Without debug information functions and globals still have their names, and nothing crashes.
// RUN: for level in 0 2; do \
// RUN:   %clangxx %load -O$level -S -emit-llvm -o - %s | %sites | %FileCheck %s || exit 1; done

namespace bank {
int total;
struct Account {
  int balance;
  void deposit(int n);
};
}  // namespace bank
// CHECK-DAG: Write 4 bank::Account::deposit names_without_debug_info.cpp:0:0 [bank::total]
// CHECK-DAG: Write 4 bank::Account::deposit names_without_debug_info.cpp:0:0 [
void bank::Account::deposit(int n) {
  total = n;
  balance = n;
}
