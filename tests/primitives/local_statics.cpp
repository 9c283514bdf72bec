// EXPECT: pass
// Function-local statics are initialised once for the process, however many threads come at the same time,
// and again after an exception.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

namespace {

int made = 0;
int tried = 0;

struct Table {
  Table() : value(std::make_unique<int>(42)) { ++made; }
  std::unique_ptr<int> value;
};

const Table& table() {
  static const Table instance;
  return instance;
}

int risky(bool may_throw) {
  static const int value = [&] {
    ++tried;
    if (may_throw && tried == 1) throw 1;
    return 7;
  }();
  return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  const auto work = [] {
    assert(*table().value == 42);
    try {
      assert(risky(true) == 7);
    } catch (int) {
      assert(risky(false) == 7);
    }
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  assert(made == 1 && tried == 2);
  return 0;
}
