// EXPECT: plain=assertion tsan=data-race|assertion asan=assertion builds=plain,tsan,asan
// Two threads increment a counter with a load and a store and no lock.
// Shows when the second thread increments between the first one's load and its store: both store 1.
// Least preemptions: 1.
// Twin: lost_update_fixed.cpp.

#undef NDEBUG
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Counter {
  void increment() { hits = hits + 1; }

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
