// EXPECT: pass
// Twin of lost_update.cpp. The whole increment happens under a mutex.

#undef NDEBUG
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Counter {
  void increment() {
    const std::lock_guard lock(mutex);
    hits = hits + 1;
  }

  std::mutex mutex;
  int hits = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Counter counter;
  std::thread first([&] { counter.increment(); });
  std::thread second([&] { counter.increment(); });
  first.join();
  second.join();
  assert(counter.hits == 2);
  return 0;
}
