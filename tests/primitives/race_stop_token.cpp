// EXPECT: data-race builds=tsan
// PRIMITIVES: std::jthread, std::stop_token
// What is written after the request is not ordered before what the thread does when it sees it.
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  int value = 0;
  std::jthread worker([&](const std::stop_token& token) {
    while (!token.stop_requested()) std::this_thread::yield();
    ++value;
  });
  worker.request_stop();
  value = 1;
  worker.join();
  return 0;
}
