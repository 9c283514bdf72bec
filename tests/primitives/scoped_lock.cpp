// EXPECT: pass
// PRIMITIVES: std::scoped_lock
// std::scoped_lock takes two mutexes in any order without a deadlock.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::mutex left;
  std::mutex right;
  int value = 0;
  std::thread first([&] {
    const std::scoped_lock lock(left, right);
    ++value;
  });
  std::thread second([&] {
    const std::scoped_lock lock(right, left);
    ++value;
  });
  first.join();
  second.join();
  assert(value == 2);
  return 0;
}
