// EXPECT: plain=deadlock tsan=deadlock|lock-order asan=deadlock builds=plain,tsan,asan
// Three dining philosophers: each takes the fork on the left, then the one on the right.
// Shows when each of the three threads holds its left fork.
// Least preemptions: 1 (the first thread is interrupted; the third, then the second, block).
// Twin: three_lock_cycle_fixed.cpp.

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace {

struct Philosopher {
  pthread_mutex_t* left;
  pthread_mutex_t* right;
};

void* dine(void* argument) {
  const Philosopher& philosopher = *static_cast<const Philosopher*>(argument);
  pthread_mutex_lock(philosopher.left);
  pthread_mutex_lock(philosopher.right);
  pthread_mutex_unlock(philosopher.right);
  pthread_mutex_unlock(philosopher.left);
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  pthread_mutex_t forks[3];
  for (pthread_mutex_t& fork : forks) pthread_mutex_init(&fork, nullptr);
  Philosopher philosophers[3] = {
      {&forks[0], &forks[1]},
      {&forks[1], &forks[2]},
      {&forks[2], &forks[0]},
  };
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], nullptr, dine, &philosophers[i]);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  for (pthread_mutex_t& fork : forks) pthread_mutex_destroy(&fork);
  return 0;
}
