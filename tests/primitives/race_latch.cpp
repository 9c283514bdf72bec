// EXPECT: data-race builds=tsan
// PRIMITIVES: std::latch
// What is written after the count-down is not ordered before what waits for it.
#include <cstddef>
#include <cstdint>
#include <latch>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::latch done(1);
  int value = 0;
  std::thread waiter([&] {
    done.wait();
    ++value;
  });
  done.count_down();
  value = 1;
  waiter.join();
  return 0;
}
