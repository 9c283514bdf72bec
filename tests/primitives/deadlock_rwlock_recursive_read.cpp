// EXPECT: deadlock builds=plain,tsan,asan
// PRIMITIVES: pthread_rwlock_rdlock, pthread_rwlockattr_setkind_np
// A lock that prefers writers, read-locked again while a writer waits; found at once, though others could go on.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) sched_yield();
  });
  std::thread writer([&] {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
  });
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  stop = true;
  writer.join();
  busy.join();
  return 0;
}
