// EXPECT: pass
// PRIMITIVES: std::timed_mutex
// While another thread keeps a lock, a timed lock fails, at or after its deadline and not before.
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::timed_mutex mutex;
  mutex.lock();
  std::thread waiter([&] {
    const auto before = std::chrono::steady_clock::now();
    assert(!mutex.try_lock_for(24h));
    assert(std::chrono::steady_clock::now() - before >= 24h);
    assert(!mutex.try_lock());
  });
  waiter.join();
  mutex.unlock();
  return 0;
}
