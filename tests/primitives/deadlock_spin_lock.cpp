// EXPECT: deadlock builds=plain,tsan,asan
// PRIMITIVES: pthread_spin_lock
// A thread takes its own spin lock again.
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  pthread_spinlock_t lock;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  std::thread([&] {
    pthread_spin_lock(&lock);
    pthread_spin_lock(&lock);
  }).join();
  return 0;
}
