// EXPECT: pass
// Twin of lost_wakeup.cpp. The waiter waits until the flag is set, and not at all if it is set
// already.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Gate {
  void pass() {
    std::unique_lock lock(mutex);
    opened.wait(lock, [&] { return is_open; });
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
