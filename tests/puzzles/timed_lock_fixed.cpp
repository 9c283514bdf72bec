// EXPECT: pass
// Twin of timed_lock.cpp. The visitor is not counted, and says so, when the lock could not be had.

#undef NDEBUG
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Turnstile {
  void enter() {
    std::unique_lock lock(mutex, std::defer_lock);
    const bool locked = lock.try_lock_for(std::chrono::hours(1));
    if (!locked) {
      ++turned_away;
      return;
    }
    visitors = visitors + 1;
  }

  std::timed_mutex mutex;
  int visitors = 0;
  std::atomic<int> turned_away{0};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Turnstile turnstile;
  std::thread first([&] { turnstile.enter(); });
  std::thread second([&] { turnstile.enter(); });
  first.join();
  second.join();
  assert(turnstile.visitors + turnstile.turned_away == 2);
  return 0;
}
