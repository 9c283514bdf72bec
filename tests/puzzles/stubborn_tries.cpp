// EXPECT: livelock builds=plain,tsan,asan
// Each of two threads holds one lock and tries to get the other one, again and again, and never lets go of its own.
// Shows when each has got its first lock: no thread blocks, so there is no deadlock to be seen, but none gets further.
// Least preemptions: 1.
// Twin: stubborn_tries_fixed.cpp.

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
  while (!to.mutex.try_lock()) std::this_thread::yield();
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
