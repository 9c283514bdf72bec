// EXPECT: pass
// PRIMITIVES: pthread_mutex_init, pthread_mutex_lock, pthread_mutex_destroy
// Normal, recursive and error-checking pthread mutexes: what each call returns, and mutual exclusion.
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace {

struct Mutex {
  explicit Mutex(int type) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    assert(pthread_mutexattr_settype(&attributes, type) == 0);
    assert(pthread_mutex_init(&mutex, &attributes) == 0);
    pthread_mutexattr_destroy(&attributes);
  }
  ~Mutex() { assert(pthread_mutex_destroy(&mutex) == 0); }
  pthread_mutex_t mutex;
};

struct Shared {
  Mutex normal{PTHREAD_MUTEX_NORMAL};
  Mutex recursive{PTHREAD_MUTEX_RECURSIVE};
  Mutex checking{PTHREAD_MUTEX_ERRORCHECK};
  int by_normal = 0;
  int by_recursive = 0;
  int by_checking = 0;
};

void* work(void* argument) {
  Shared& shared = *static_cast<Shared*>(argument);
  assert(pthread_mutex_lock(&shared.normal.mutex) == 0);
  assert(pthread_mutex_trylock(&shared.normal.mutex) == EBUSY);
  ++shared.by_normal;
  assert(pthread_mutex_unlock(&shared.normal.mutex) == 0);

  assert(pthread_mutex_lock(&shared.recursive.mutex) == 0);
  assert(pthread_mutex_lock(&shared.recursive.mutex) == 0);
  assert(pthread_mutex_trylock(&shared.recursive.mutex) == 0);
  ++shared.by_recursive;
  assert(pthread_mutex_unlock(&shared.recursive.mutex) == 0);
  assert(pthread_mutex_unlock(&shared.recursive.mutex) == 0);
  ++shared.by_recursive;
  assert(pthread_mutex_unlock(&shared.recursive.mutex) == 0);

  assert(pthread_mutex_lock(&shared.checking.mutex) == 0);
  assert(pthread_mutex_lock(&shared.checking.mutex) == EDEADLK);
  assert(pthread_mutex_trylock(&shared.checking.mutex) == EBUSY);
  ++shared.by_checking;
  assert(pthread_mutex_unlock(&shared.checking.mutex) == 0);
  const int unlocked = pthread_mutex_unlock(&shared.checking.mutex);
  assert(unlocked == EPERM);
  return argument;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Shared shared;
  pthread_t threads[2];
  for (pthread_t& thread : threads) assert(pthread_create(&thread, nullptr, work, &shared) == 0);
  for (const pthread_t thread : threads) {
    void* result = nullptr;
    assert(pthread_join(thread, &result) == 0);
    assert(result == &shared);
  }
  assert(shared.by_normal == 2 && shared.by_recursive == 4 && shared.by_checking == 2);
  return 0;
}
