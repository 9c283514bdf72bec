// EXPECT: data-race builds=tsan
// PRIMITIVES: std::promise, std::future
// Two threads change an exception that both caught: they share the one object.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <thread>

namespace {
struct Trouble {
  int times = 0;
};
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::promise<void> promise;
  const std::shared_future<void> future = promise.get_future().share();
  promise.set_exception(std::make_exception_ptr(Trouble{}));
  const auto see = [future] {
    try {
      future.get();
    } catch (Trouble& trouble) {
      ++trouble.times;
    }
  };
  std::thread first(see);
  std::thread second(see);
  first.join();
  second.join();
  return 0;
}
