// EXPECT: data-race builds=tsan
// PRIMITIVES: std::barrier
// Between two barriers, threads are not ordered.
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::barrier barrier(2);
  int value = 0;
  const auto work = [&] {
    barrier.arrive_and_wait();
    ++value;
    barrier.arrive_and_wait();
  };
  std::thread other(work);
  work();
  other.join();
  return 0;
}
