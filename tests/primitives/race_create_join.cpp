// EXPECT: data-race builds=tsan
// PRIMITIVES: std::thread
// Creation orders what came before it, join what comes after it, and nothing in between is ordered.
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  int before = 1;
  int value = 0;
  std::thread thread([&] { value = before; });
  value = 2;
  thread.join();
  return value == 3 ? 1 : 0;
}
