// EXPECT: deadlock builds=plain,tsan,asan
// PRIMITIVES: pthread_rwlock_rdlock, pthread_rwlock_wrlock
// A reader asks for the write lock, which glibc lets it wait for for ever; found at once, though others could go on.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  std::atomic<bool> stop{false};
  std::thread upgrader([&] {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
    stop = true;
  });
  while (!stop) sched_yield();
  upgrader.join();
  return 0;
}
