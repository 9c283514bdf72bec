// EXPECT: pass
// Twin of semaphore_pool.cpp. Only one thread at a time gathers buffers.

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
    sem_wait(&gathering);
    sem_wait(&buffers);
    sem_wait(&buffers);
    sem_post(&gathering);
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
