// EXPECT: pass
// Twin of order_violation.cpp. The user waits on a condition variable until the pool is ready.

#undef NDEBUG
#include <pthread.h>

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace {

struct Pool {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
  int capacity = 0;
};

void* initialise(void* argument) {
  Pool& pool = *static_cast<Pool*>(argument);
  pthread_mutex_lock(&pool.mutex);
  pool.capacity = 8;
  pthread_cond_signal(&pool.ready);
  pthread_mutex_unlock(&pool.mutex);
  return nullptr;
}

void* use(void* argument) {
  Pool& pool = *static_cast<Pool*>(argument);
  pthread_mutex_lock(&pool.mutex);
  while (pool.capacity == 0) pthread_cond_wait(&pool.ready, &pool.mutex);
  assert(pool.capacity == 8);
  pthread_mutex_unlock(&pool.mutex);
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Pool pool;
  pthread_t initialiser;
  pthread_t user;
  pthread_create(&initialiser, nullptr, initialise, &pool);
  pthread_create(&user, nullptr, use, &pool);
  pthread_join(initialiser, nullptr);
  pthread_join(user, nullptr);
  pthread_cond_destroy(&pool.ready);
  pthread_mutex_destroy(&pool.mutex);
  return 0;
}
