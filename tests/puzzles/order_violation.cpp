// EXPECT: plain=assertion tsan=data-race|assertion asan=assertion builds=plain,tsan,asan
// One thread uses what another thread was to set up first, and nothing makes it wait.
// Shows when the user runs before the initialiser has set the capacity.
// Least preemptions: 0 (the second thread goes first).
// Twin: order_violation_fixed.cpp.

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
  pool.capacity = 8;
  return nullptr;
}

void* use(void* argument) {
  const Pool& pool = *static_cast<const Pool*>(argument);
  assert(pool.capacity == 8);
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
