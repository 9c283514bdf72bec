// EXPECT: data-race builds=tsan
// PRIMITIVES: pthread_barrier_wait
// What a thread does between two rounds is ordered before the second one only: the other reads too early.
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  int value = 0;
  int seen = 0;
  std::thread first([&] {
    pthread_barrier_wait(&barrier);
    value = 1;
    pthread_barrier_wait(&barrier);
  });
  std::thread second([&] {
    pthread_barrier_wait(&barrier);
    seen = value;
    pthread_barrier_wait(&barrier);
  });
  first.join();
  second.join();
  pthread_barrier_destroy(&barrier);
  return 0;
}
