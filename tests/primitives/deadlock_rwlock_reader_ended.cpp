// EXPECT: deadlock builds=plain,tsan,asan
// PRIMITIVES: pthread_rwlock_rdlock, pthread_rwlock_wrlock
// A thread ends with its read lock, and a writer waits.
#include <cstddef>
#include <cstdint>
#include <shared_mutex>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::shared_mutex mutex;
  std::thread reader([&] { mutex.lock_shared(); });
  mutex.lock();
  mutex.unlock();
  reader.join();
  mutex.lock();
  return 0;
}
