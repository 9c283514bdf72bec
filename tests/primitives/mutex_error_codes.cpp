// EXPECT: pass
// PRIMITIVES: pthread_mutex_trylock, pthread_mutex_unlock
// A mutex that another thread holds: EBUSY for trylock, EPERM for unlock where the type checks owners.
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace {

pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;

void* meddle(void*) {
  for (pthread_mutex_t* mutex : {&recursive, &checking, &normal}) assert(pthread_mutex_trylock(mutex) == EBUSY);
  assert(pthread_mutex_unlock(&recursive) == EPERM);
  assert(pthread_mutex_unlock(&checking) == EPERM);
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  for (pthread_mutex_t* mutex : {&recursive, &checking, &normal}) assert(pthread_mutex_lock(mutex) == 0);
  pthread_t thread;
  assert(pthread_create(&thread, nullptr, meddle, nullptr) == 0);
  assert(pthread_join(thread, nullptr) == 0);
  assert(pthread_join(pthread_self(), nullptr) == EDEADLK);
  for (pthread_mutex_t* mutex : {&recursive, &checking, &normal}) assert(pthread_mutex_unlock(mutex) == 0);
  return 0;
}
