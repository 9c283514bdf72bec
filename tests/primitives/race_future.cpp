// EXPECT: data-race builds=tsan
// PRIMITIVES: std::promise, std::future
// What a thread does after it has set the value is not ordered before what is done with it.
#include <cstddef>
#include <cstdint>
#include <future>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::promise<void> promise;
  std::future<void> future = promise.get_future();
  int value = 0;
  std::thread other([&] {
    promise.set_value();
    value = 1;
  });
  future.get();
  ++value;
  other.join();
  return 0;
}
