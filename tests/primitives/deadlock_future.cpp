// EXPECT: deadlock builds=plain,tsan,asan
// PRIMITIVES: std::promise, std::future
// Two threads that each wait for the other's result first.
#include <cstddef>
#include <cstdint>
#include <future>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::promise<int> left;
  std::promise<int> right;
  std::thread other([&] { right.set_value(left.get_future().get()); });
  left.set_value(right.get_future().get());
  other.join();
  return 0;
}
