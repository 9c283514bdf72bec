// EXPECT: data-race builds=tsan
// PRIMITIVES: pthread_rwlock_clockrdlock, std::shared_timed_mutex
// A reader that has timed out goes on without the lock.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::shared_timed_mutex mutex;
  int value = 0;
  int seen = 0;
  std::thread writer([&] {
    const std::lock_guard lock(mutex);
    ++value;
  });
  std::thread reader([&] {
    const bool locked = mutex.try_lock_shared_for(std::chrono::milliseconds(1));
    seen = value;
    if (locked) mutex.unlock_shared();
  });
  writer.join();
  reader.join();
  return 0;
}
