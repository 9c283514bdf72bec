// EXPECT: pass
// PRIMITIVES: programs of several translation units
// With two_units.part.cpp: a program of two translation units that share inline functions, statics and
// thread_local variables.
#include "two_units.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Account account;
  std::thread first([&] { deposit(account, 10); });
  std::thread second([&] {
    account.add(1);
    assert(deposits_of_this_thread == 1);
  });
  first.join();
  second.join();
  assert(account.balance() == 11);
  return 0;
}
