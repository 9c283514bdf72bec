// EXPECT: data-race builds=tsan
// PRIMITIVES: volatile
// A busy wait on a plain variable orders nothing.
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  volatile bool ready = false;
  std::thread waits([&] {
    while (!ready) {
    }
  });
  ready = true;
  waits.join();
  return 0;
}
