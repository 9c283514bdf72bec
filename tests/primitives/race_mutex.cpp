// EXPECT: data-race builds=tsan
// PRIMITIVES: std::mutex
// One thread locks, the other forgets to; both use the mutex for something else.
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::mutex mutex;
  int value = 0;
  int other = 0;
  std::thread first([&] {
    const std::lock_guard lock(mutex);
    ++value;
  });
  std::thread second([&] {
    ++value;
    const std::lock_guard lock(mutex);
    ++other;
  });
  first.join();
  second.join();
  return 0;
}
