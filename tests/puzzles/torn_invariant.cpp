// EXPECT: assertion builds=plain,tsan,asan
// Two fields that must agree are each atomic, but a transfer changes them one after the other. No
// data race, so only the check tells. Shows when the auditor reads both between the two updates, or
// when the transfer falls between the auditor's two reads.
// Least preemptions: 1.
// Twin: torn_invariant_fixed.cpp.

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
    checking -= amount;
    savings += amount;
  }

  int total() { return checking + savings; }

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
