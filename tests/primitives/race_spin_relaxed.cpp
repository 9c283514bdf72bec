// EXPECT: data-race builds=tsan
// PRIMITIVES: std::atomic
// A spin lock whose operations are relaxed excludes, but publishes nothing.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::atomic_flag held = ATOMIC_FLAG_INIT;
  int guarded = 0;
  const auto work = [&] {
    while (held.test_and_set(std::memory_order_relaxed)) {
    }
    ++guarded;
    held.clear(std::memory_order_relaxed);
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return 0;
}
