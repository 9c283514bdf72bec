// EXPECT: pass
// PRIMITIVES: sched_yield, std::this_thread::yield
// Threads that spin until another one has done its part, with and without a yield, do not spin for ever.
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::atomic<int> turn{0};
  int value = 0;
  std::thread polite([&] {
    while (turn.load(std::memory_order_acquire) != 1) std::this_thread::yield();
    ++value;
    turn.store(2, std::memory_order_release);
  });
  std::thread rude([&] {
    while (turn.load(std::memory_order_acquire) != 2) {
    }
    ++value;
    turn.store(3, std::memory_order_release);
  });
  turn = 1;
  while (turn.load(std::memory_order_acquire) != 3) std::this_thread::yield();
  assert(value == 2);
  polite.join();
  rude.join();
  return 0;
}
