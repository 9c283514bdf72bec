// EXPECT: pass
// PRIMITIVES: function-local statics
// Function-local statics are initialised once for the process, however many threads come at the same time,
// and again after an exception. There are many of them, so that many runs come upon a new one.
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

namespace {

template <std::size_t N>
struct Static {
  static inline int made = 0;
  static inline int tried = 0;

  static const int& value() {
    static const std::unique_ptr<int> instance = [] {
      ++made;
      return std::make_unique<int>(42);
    }();
    return *instance;
  }

  static int risky() {
    static const int instance = [] {
      if (++tried == 1) throw 1;
      return 7;
    }();
    return instance;
  }

  static void work() {
    assert(value() == 42 && made == 1);
    try {
      assert(risky() == 7);
    } catch (int) {
      assert(risky() == 7);
    }
    assert(tried == 2);
  }
};

template <std::size_t... N>
constexpr auto all_statics(std::index_sequence<N...>) {
  return std::array{&Static<N>::work...};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  static constexpr auto kStatics = all_statics(std::make_index_sequence<64>());
  static std::size_t runs = 0;
  const auto work = kStatics[runs++ % kStatics.size()];
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return 0;
}
