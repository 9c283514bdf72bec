// EXPECT: pass
// PRIMITIVES: pthread_tryjoin_np, pthread_timedjoin_np, pthread_clockjoin_np
// Joins that do not wait, or not for ever. One that gives up can be made again; after one that succeeded, all that the
// thread did is seen.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace {

struct Shared {
  sem_t go;
  std::atomic<int> turns{0};
  int values[4] = {};
};

void* work(void* argument) {
  Shared& shared = *static_cast<Shared*>(argument);
  sem_wait(&shared.go);
  shared.values[shared.turns++] = 1;
  return argument;
}

void* join_itself(void*) {
  assert(pthread_tryjoin_np(pthread_self(), nullptr) == EBUSY);
  assert(pthread_join(pthread_self(), nullptr) == EDEADLK);
  return nullptr;
}

timespec in_an_hour(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 3600;
  return time;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Shared shared;
  sem_init(&shared.go, 0, 0);
  pthread_t threads[4];
  for (pthread_t& thread : threads) assert(pthread_create(&thread, nullptr, work, &shared) == 0);
  void* result = nullptr;
  assert(pthread_tryjoin_np(threads[0], &result) == EBUSY);
  const timespec bad{0, -1};
  assert(pthread_timedjoin_np(threads[0], &result, &bad) == EINVAL);
  assert(pthread_clockjoin_np(threads[0], &result, CLOCK_MONOTONIC, &bad) == EINVAL);
  timespec later = in_an_hour(CLOCK_REALTIME);
  assert(pthread_clockjoin_np(threads[0], &result, CLOCK_PROCESS_CPUTIME_ID, &later) == EINVAL);
  assert(pthread_timedjoin_np(threads[0], &result, &later) == ETIMEDOUT);
  later = in_an_hour(CLOCK_MONOTONIC);
  assert(pthread_clockjoin_np(threads[0], &result, CLOCK_MONOTONIC, &later) == ETIMEDOUT);
  assert(result == nullptr);

  sem_post(&shared.go);
  int joined = 0;
  for (const pthread_t thread : threads) {
    while (pthread_tryjoin_np(thread, &result) == EBUSY) {
      later = in_an_hour(CLOCK_REALTIME);
      const int error = pthread_timedjoin_np(thread, &result, &later);
      assert(error == 0 || error == ETIMEDOUT);
      if (error == 0) break;
      sem_post(&shared.go);  // this one has not had its turn
    }
    ++joined;
    assert(result == &shared);
    result = nullptr;
    sem_post(&shared.go);
  }
  assert(joined == 4);
  for (const int value : shared.values) assert(value == 1);
  sem_destroy(&shared.go);

  assert(pthread_create(&threads[0], nullptr, join_itself, nullptr) == 0);
  assert(pthread_timedjoin_np(threads[0], nullptr, nullptr) == 0);
  return 0;
}
