// EXPECT: data-race builds=tsan
// PRIMITIVES: sem_wait, sem_post
// What comes after a post is not ordered before the wait.
#include <semaphore.h>

#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  int value = 0;
  std::thread first([&] {
    sem_post(&semaphore);
    value = 1;
  });
  std::thread second([&] {
    sem_wait(&semaphore);
    value = 2;
  });
  first.join();
  second.join();
  sem_destroy(&semaphore);
  return 0;
}
