// EXPECT: data-race builds=tsan
// PRIMITIVES: std::call_once
// call_once orders its function before every return from it, and not the callers among each other.
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::once_flag once;
  int made = 0;
  int value = 0;
  const auto work = [&] {
    std::call_once(once, [&] { made = 1; });
    value += made;
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return 0;
}
