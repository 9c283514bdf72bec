// EXPECT: deadlock builds=plain,tsan,asan
// A pool of two buffers; each of two threads needs both and takes them one by one.
// Shows when each has one. A semaphore has no owner, so that there is no circle to be seen.
// Least preemptions: 1.
// Twin: semaphore_pool_fixed.cpp.

#include <semaphore.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

struct Pool {
  sem_t buffers;
  sem_t gathering;

  void take_two() {
    sem_wait(&buffers);
    sem_wait(&buffers);
  }
  void give_two() {
    sem_post(&buffers);
    sem_post(&buffers);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Pool pool;
  sem_init(&pool.buffers, 0, 2);
  sem_init(&pool.gathering, 0, 1);
  const auto copy = [&] {
    pool.take_two();
    pool.give_two();
  };
  std::thread first(copy);
  std::thread second(copy);
  first.join();
  second.join();
  sem_destroy(&pool.gathering);
  sem_destroy(&pool.buffers);
  return 0;
}
