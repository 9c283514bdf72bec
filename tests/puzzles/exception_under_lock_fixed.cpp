// EXPECT: pass
// Twin of exception_under_lock.cpp. A lock_guard releases the mutex on every way out.

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
    const std::lock_guard lock(mutex_);
    if (balance_ < amount) throw std::runtime_error("insufficient funds");
    balance_ -= amount;
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
