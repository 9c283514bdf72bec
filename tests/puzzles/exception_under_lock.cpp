// EXPECT: deadlock builds=plain,tsan,asan
// An exception is thrown between lock() and unlock() and caught higher up: the mutex stays locked.
// Shows when the withdrawal comes before the deposit: it throws, its thread ends, and the deposit
// waits for ever for a mutex that nobody will release.
// Least preemptions: 0 (the second thread goes first).
// Twin: exception_under_lock_fixed.cpp.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

class Account {
 public:
  void deposit(int amount) {
    const std::lock_guard lock(mutex_);
    balance_ += amount;
  }

  void withdraw(int amount) {
    mutex_.lock();
    if (balance_ < amount) throw std::runtime_error("insufficient funds");
    balance_ -= amount;
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
  int balance_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Account account;
  std::thread payer([&] { account.deposit(50); });
  std::thread customer([&] {
    try {
      account.withdraw(50);
    } catch (const std::runtime_error&) {
      // The customer goes home.
    }
  });
  payer.join();
  customer.join();
  return 0;
}
