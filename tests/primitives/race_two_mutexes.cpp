// EXPECT: data-race builds=tsan
// PRIMITIVES: std::mutex
// Each thread holds a lock, but not the same one.
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::mutex left;
  std::mutex right;
  int value = 0;
  std::thread first([&] {
    const std::lock_guard lock(left);
    ++value;
  });
  std::thread second([&] {
    const std::lock_guard lock(right);
    ++value;
  });
  first.join();
  second.join();
  return 0;
}
