// EXPECT: data-race builds=tsan
// PRIMITIVES: std::thread::detach
// That a thread has ended orders nothing for those who did not join it.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  const auto value = std::make_shared<int>(0);
  const auto done = std::make_shared<std::atomic<bool>>(false);
  std::thread([value, done] {
    *value = 1;
    done->store(true, std::memory_order_relaxed);
  }).detach();
  while (!done->load(std::memory_order_relaxed)) std::this_thread::yield();
  *value = 2;
  return 0;
}
