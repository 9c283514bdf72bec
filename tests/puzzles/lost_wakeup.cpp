// EXPECT: lost-wakeup builds=plain,tsan,asan
// A wait with no predicate: a notification that comes before the wait is gone.
// Shows when the notifier runs before the waiter waits; nobody notifies again.
// Least preemptions: 0 (the second thread goes first).
// Twin: lost_wakeup_fixed.cpp.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Gate {
  void pass() {
    std::unique_lock lock(mutex);
    opened.wait(lock);
  }

  void open() {
    const std::lock_guard lock(mutex);
    is_open = true;
    opened.notify_one();
  }

  std::mutex mutex;
  std::condition_variable opened;
  bool is_open = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Gate gate;
  std::thread waiter([&] { gate.pass(); });
  std::thread notifier([&] { gate.open(); });
  waiter.join();
  notifier.join();
  return 0;
}
