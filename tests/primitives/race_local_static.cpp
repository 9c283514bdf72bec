// EXPECT: data-race builds=tsan
// PRIMITIVES: function-local statics
// The guard of a local static orders its initialisation, and not what its users do afterwards.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

namespace {

int& slot() {
  static const std::unique_ptr<int> value = std::make_unique<int>(0);
  return *value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::thread first([] { ++slot(); });
  std::thread second([] { ++slot(); });
  first.join();
  second.join();
  return 0;
}
