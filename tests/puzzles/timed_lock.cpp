// EXPECT: plain=assertion tsan=data-race|assertion asan=assertion builds=plain,tsan,asan
// A timed lock whose result is ignored, with a timeout so long that it never fires on a real clock.
// Shows when try_lock_for times out while the other thread is inside: both load the same count.
// Least preemptions: 1, and the timeout fires early.
// Twin: timed_lock_fixed.cpp.

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
    static_cast<void>(locked);
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
