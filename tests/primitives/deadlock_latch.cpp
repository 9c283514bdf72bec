// EXPECT: deadlock builds=plain,tsan,asan
// PRIMITIVES: std::latch
// One too few arrive, if the flag is seen too early.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::latch done(2);
  std::atomic<bool> ready{false};
  std::thread other([&] {
    if (ready) done.count_down();
  });
  ready = true;
  done.arrive_and_wait();
  other.join();
  return 0;
}
