// EXPECT: pass
// Twin of torn_invariant.cpp. One mutex covers both fields, in the transfer and in the audit.

#undef NDEBUG
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Accounts {
  void transfer(int amount) {
    const std::lock_guard lock(mutex);
    checking -= amount;
    savings += amount;
  }

  int total() {
    const std::lock_guard lock(mutex);
    return checking + savings;
  }

  std::mutex mutex;
  std::atomic<int> checking{100};
  std::atomic<int> savings{0};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Accounts accounts;
  std::thread clerk([&] { accounts.transfer(30); });
  std::thread auditor([&] { assert(accounts.total() == 100); });
  clerk.join();
  auditor.join();
  return 0;
}
