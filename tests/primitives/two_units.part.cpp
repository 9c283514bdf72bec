#include <cassert>

#include "two_units.h"

void deposit(Account& account, int amount) {
  assert(deposits_of_this_thread == 0);
  account.add(amount);
  assert(deposits_of_this_thread == 1);
}
