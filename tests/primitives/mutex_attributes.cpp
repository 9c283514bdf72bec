// EXPECT: pass
// PRIMITIVES: pthread_mutexattr_setprotocol, pthread_mutexattr_setpshared, pthread_condattr_setpshared
// Priority inheritance and sharing between processes change nothing within one; bad times are refused as glibc does.
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  assert(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
  assert(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
  pthread_mutex_t mutex;
  assert(pthread_mutex_init(&mutex, &attributes) == 0);
  pthread_mutexattr_destroy(&attributes);
  pthread_condattr_t condition_attributes;
  pthread_condattr_init(&condition_attributes);
  assert(pthread_condattr_setpshared(&condition_attributes, PTHREAD_PROCESS_SHARED) == 0);
  pthread_cond_t condition;
  assert(pthread_cond_init(&condition, &condition_attributes) == 0);

  int value = 0;
  const auto work = [&] {
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    ++value;
    assert(pthread_cond_signal(&condition) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
  };
  std::thread first(work);
  std::thread second(work);
  const timespec bad{0, -1};
  assert(pthread_mutex_lock(&mutex) == 0);
  assert(pthread_cond_timedwait(&condition, &mutex, &bad) == EINVAL);
  assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_PROCESS_CPUTIME_ID, &bad) == EINVAL);
  while (value < 2) assert(pthread_cond_wait(&condition, &mutex) == 0);
  assert(pthread_mutex_unlock(&mutex) == 0);
  first.join();
  second.join();
  assert(pthread_mutex_timedlock(&mutex, &bad) == 0);  // the time is of no matter to who need not wait
  std::thread([&] { assert(pthread_mutex_timedlock(&mutex, &bad) == EINVAL); }).join();
  assert(pthread_mutex_unlock(&mutex) == 0);
  assert(pthread_cond_destroy(&condition) == 0);
  assert(pthread_mutex_destroy(&mutex) == 0);
  return 0;
}
