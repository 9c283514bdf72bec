// A bank whose transfer looks at the balance before it takes the lock. README.md tells the story.
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <thread>

namespace {

class Bank {
 public:
  // Moves `amount` to the other account, unless that would overdraw `from`.
  bool transfer(std::size_t from, int amount) {
#ifdef BANK_FIXED
    const std::lock_guard guard(mutex_);
    if (balance_[from] < amount) return false;
#else
    if (balance_[from] < amount) return false;
    const std::lock_guard guard(mutex_);
#endif
    balance_[from] -= amount;
    balance_[1 - from] += amount;
    return true;
  }

  int balance(std::size_t account) const { return balance_[account]; }

 private:
  std::mutex mutex_;
  std::array<int, 2> balance_{100, 100};
};

// One order a byte: the high bit says from which account, the rest how much.
void carry_out(Bank& bank, std::span<const std::uint8_t> orders) {
  for (const std::uint8_t order : orders) bank.transfer(order >> 7, order & 0x7F);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16) return 0;
  const std::span orders(data, size);
  Bank bank;
  std::thread first(carry_out, std::ref(bank), orders.first(size / 2));
  std::thread second(carry_out, std::ref(bank), orders.subspan(size / 2));
  first.join();
  second.join();
  assert(bank.balance(0) >= 0 && bank.balance(1) >= 0);
  return 0;
}
