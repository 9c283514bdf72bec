// EXPECT: pass
// PRIMITIVES: std::condition_variable_any, std::recursive_mutex
// std::condition_variable_any over a recursive mutex, with a predicate and a time limit.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::recursive_mutex mutex;
  std::condition_variable_any changed;
  int stage = 0;
  std::thread first([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return stage == 1; });
    stage = 2;
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    stage = 1;
  }
  changed.notify_all();
  {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, 1s, [&] { return stage == 2; })) {
    }
    assert(stage == 2);
  }
  first.join();
  return 0;
}
