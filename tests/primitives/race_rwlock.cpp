// EXPECT: data-race builds=tsan
// PRIMITIVES: pthread_rwlock_rdlock, std::shared_lock
// Two readers write.
#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::shared_mutex mutex;
  int value = 0;
  const auto write = [&] {
    const std::shared_lock lock(mutex);
    ++value;
  };
  std::thread first(write);
  std::thread second(write);
  first.join();
  second.join();
  return 0;
}
