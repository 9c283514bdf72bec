// EXPECT: data-race builds=tsan
// PRIMITIVES: std::atomic::wait
// A thread that was woken knows only what the atomic's own order tells it: relaxed tells nothing.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::atomic<int> ready{0};
  int value = 0;
  std::thread waiter([&] {
    ready.wait(0, std::memory_order_relaxed);
    ++value;
  });
  value = 1;
  ready.store(1, std::memory_order_relaxed);
  ready.notify_one();
  waiter.join();
  return 0;
}
