// C11 threads. In glibc they are the pthread objects under other names, with results of their own; TSan knows only
// the pthread calls. So each of these is made of its pthread relative, for every thread.
#include <pthread.h>
#include <sched.h>
#include <threads.h>
#include <time.h>

#include <cerrno>

#include "instrumentation/runtime/interpose.h"

namespace weavefuzz::runtime {

namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));

pthread_mutex_t* real(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* real(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

int outcome(int error) {
  switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    case ETIMEDOUT: return thrd_timedout;
    default: return thrd_error;
  }
}

}  // namespace

extern "C" int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  // The int that `start` returns is the lower half of the register in which a pointer would be.
  const auto pthread_start = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(start));
  return outcome(pthread_create(thread, nullptr, pthread_start, argument));
}

extern "C" int thrd_join(thrd_t thread, int* result) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  void* value = nullptr;
  const int error = pthread_join(thread, &value);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  return outcome(error);
}

extern "C" int thrd_detach(thrd_t thread) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  return outcome(pthread_detach(thread));
}

extern "C" void thrd_exit(int result) { pthread_exit(reinterpret_cast<void*>(static_cast<std::intptr_t>(result))); }

extern "C" void thrd_yield() {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  sched_yield();
}

extern "C" int thrd_sleep(const timespec* duration, timespec* left) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  switch (clock_nanosleep(CLOCK_REALTIME, 0, duration, left)) {
    case 0: return 0;
    case EINTR: return -1;
    default: return -2;
  }
}

extern "C" int mtx_init(mtx_t* mutex, int type) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if ((type & mtx_recursive) != 0) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  return outcome(pthread_mutex_init(real(mutex), &attributes));
}

extern "C" void mtx_destroy(mtx_t* mutex) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  pthread_mutex_destroy(real(mutex));
}

extern "C" int mtx_lock(mtx_t* mutex) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  return outcome(pthread_mutex_lock(real(mutex)));
}

extern "C" int mtx_timedlock(mtx_t* __restrict mutex, const timespec* __restrict deadline) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  return outcome(pthread_mutex_timedlock(real(mutex), deadline));
}

extern "C" int mtx_trylock(mtx_t* mutex) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  return outcome(pthread_mutex_trylock(real(mutex)));
}

extern "C" int mtx_unlock(mtx_t* mutex) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  return outcome(pthread_mutex_unlock(real(mutex)));
}

extern "C" int cnd_init(cnd_t* condition) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  return outcome(pthread_cond_init(real(condition), nullptr));
}

extern "C" void cnd_destroy(cnd_t* condition) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  pthread_cond_destroy(real(condition));
}

extern "C" int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  return outcome(pthread_cond_wait(real(condition), real(mutex)));
}

extern "C" int cnd_timedwait(cnd_t* __restrict condition, mtx_t* __restrict mutex,
                             const timespec* __restrict deadline) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  return outcome(pthread_cond_timedwait(real(condition), real(mutex), deadline));
}

extern "C" int cnd_signal(cnd_t* condition) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  return outcome(pthread_cond_signal(real(condition)));
}

extern "C" int cnd_broadcast(cnd_t* condition) {
  const OnBehalfOf program(WEAVEFUZZ_CALLER());
  return outcome(pthread_cond_broadcast(real(condition)));
}

// tss_get and tss_set are glibc's own: they know the same keys.
extern "C" int tss_create(tss_t* key, tss_dtor_t destructor) { return outcome(pthread_key_create(key, destructor)); }
extern "C" void tss_delete(tss_t key) { pthread_key_delete(key); }

}  // namespace weavefuzz::runtime
