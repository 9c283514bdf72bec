// EXPECT: data-race builds=tsan
// PRIMITIVES: std::thread
// Two threads of one parent are not ordered, although they never run at the same time.
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  int value = 0;
  std::thread first([&] { value = 1; });
  std::thread second([&] { value = 2; });
  first.join();
  second.join();
  return 0;
}
