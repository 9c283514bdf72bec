// EXPECT: pass
// Twin of stubborn_tries.cpp. Who does not get the second lock lets go of the first and starts again.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Account {
  std::mutex mutex;
  int balance = 10;
};

void transfer(Account& from, Account& to) {
  from.mutex.lock();
  while (!to.mutex.try_lock()) {
    from.mutex.unlock();
    std::this_thread::yield();
    from.mutex.lock();
  }
  --from.balance;
  ++to.balance;
  to.mutex.unlock();
  from.mutex.unlock();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Account left;
  Account right;
  std::thread first([&] { transfer(left, right); });
  std::thread second([&] { transfer(right, left); });
  first.join();
  second.join();
  assert(left.balance == 10 && right.balance == 10);
  return 0;
}
