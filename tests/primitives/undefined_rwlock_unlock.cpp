// EXPECT: undefined-behaviour builds=plain,tsan,asan
// PRIMITIVES: pthread_rwlock_unlock
// A thread that ignores that its try failed unlocks what another holds for writing.
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  std::thread writer([&] {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
  });
  (void)pthread_rwlock_tryrdlock(&lock);
  pthread_rwlock_unlock(&lock);
  writer.join();
  return 0;
}
