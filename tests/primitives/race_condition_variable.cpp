// EXPECT: data-race builds=tsan
// PRIMITIVES: std::condition_variable
// A notification orders nothing by itself: the value is written after the lock was released.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  int value = 0;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
    ++value;
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  value = 1;
  changed.notify_one();
  waiter.join();
  return 0;
}
