// EXPECT: data-race builds=tsan
// PRIMITIVES: std::counting_semaphore
// A semaphore that lets two in at once protects nothing.
#include <cstddef>
#include <cstdint>
#include <semaphore>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::counting_semaphore<2> room(2);
  int value = 0;
  const auto add = [&] {
    room.acquire();
    ++value;
    room.release();
  };
  std::thread first(add);
  std::thread second(add);
  first.join();
  second.join();
  return 0;
}
