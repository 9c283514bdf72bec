// EXPECT: pass
// PRIMITIVES: pthread_rwlock_t, pthread_spinlock_t, pthread_barrier_t, sem_t, mtx_t, cnd_t, thrd_t, std::shared_mutex
// PRIMITIVES: std::mutex
// All the locks at once, each guarding a counter of its own, taken in one order and inside each other.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

constexpr int kThreads = 3;

struct All {
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_t writers_first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  std::shared_mutex shared;
  std::mutex mutex;
  pthread_spinlock_t spin;
  pthread_barrier_t barrier;
  sem_t semaphore;
  mtx_t c11;
  cnd_t passed_on;
  int turn = 0;
  int counts[7] = {};

  All() {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, nullptr, kThreads);
    sem_init(&semaphore, 0, 1);
    mtx_init(&c11, mtx_plain);
    cnd_init(&passed_on);
  }
  ~All() {
    cnd_destroy(&passed_on);
    mtx_destroy(&c11);
    sem_destroy(&semaphore);
    pthread_barrier_destroy(&barrier);
    pthread_spin_destroy(&spin);
    pthread_rwlock_destroy(&writers_first);
    pthread_rwlock_destroy(&rwlock);
  }
};

void work(All& all, int me) {
  assert(pthread_rwlock_wrlock(&all.rwlock) == 0);
  ++all.counts[0];
  assert(pthread_rwlock_wrlock(&all.writers_first) == 0);
  ++all.counts[1];
  {
    const std::scoped_lock both(all.shared, all.mutex);
    ++all.counts[2];
    ++all.counts[3];
    assert(pthread_spin_lock(&all.spin) == 0);
    ++all.counts[4];
    assert(pthread_spin_unlock(&all.spin) == 0);
  }
  assert(pthread_rwlock_unlock(&all.writers_first) == 0);
  assert(pthread_rwlock_unlock(&all.rwlock) == 0);
  assert(sem_wait(&all.semaphore) == 0);
  ++all.counts[5];
  assert(sem_post(&all.semaphore) == 0);

  const int result = pthread_barrier_wait(&all.barrier);
  assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
  {
    assert(pthread_rwlock_rdlock(&all.rwlock) == 0);
    assert(pthread_rwlock_rdlock(&all.writers_first) == 0);
    const std::shared_lock lock(all.shared);
    for (int i = 0; i < 6; ++i) assert(all.counts[i] == kThreads);
    assert(pthread_rwlock_unlock(&all.writers_first) == 0);
    assert(pthread_rwlock_unlock(&all.rwlock) == 0);
  }

  assert(mtx_lock(&all.c11) == thrd_success);
  while (all.turn != me) assert(cnd_wait(&all.passed_on, &all.c11) == thrd_success);
  assert(all.counts[6]++ == me);
  ++all.turn;
  assert(cnd_broadcast(&all.passed_on) == thrd_success);
  assert(mtx_unlock(&all.c11) == thrd_success);
}

struct Start {
  All& all;
  int me;
};

int c11_start(void* argument) {
  const Start& start = *static_cast<Start*>(argument);
  work(start.all, start.me);
  return start.me;
}

void* pthread_start(void* argument) {
  c11_start(argument);
  return argument;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  All all;
  Start second{all, 1};
  Start third{all, 2};
  thrd_t by_c11;
  pthread_t by_pthread;
  std::thread first([&] { work(all, 0); });
  assert(thrd_create(&by_c11, c11_start, &second) == thrd_success);
  assert(pthread_create(&by_pthread, nullptr, pthread_start, &third) == 0);
  int result = -1;
  assert(thrd_join(by_c11, &result) == thrd_success && result == 1);
  assert(pthread_join(by_pthread, nullptr) == 0);
  first.join();
  for (const int count : all.counts) assert(count == kThreads);
  return 0;
}
