// EXPECT: data-race builds=tsan
// PRIMITIVES: pthread_spin_lock, pthread_spin_trylock
// A thread that did not get the lock goes on all the same.
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  pthread_spinlock_t lock;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  int value = 0;
  std::thread first([&] {
    pthread_spin_lock(&lock);
    ++value;
    pthread_spin_unlock(&lock);
  });
  std::thread second([&] {
    const bool locked = pthread_spin_trylock(&lock) == 0;
    ++value;
    if (locked) pthread_spin_unlock(&lock);
  });
  first.join();
  second.join();
  pthread_spin_destroy(&lock);
  return 0;
}
