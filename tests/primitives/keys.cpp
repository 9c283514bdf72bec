// EXPECT: pass
// PRIMITIVES: pthread_key_create, pthread_key_delete, pthread_setspecific, pthread_getspecific
// pthread keys: null in each new thread; destructors run when it ends, again if they leave a value behind.
#include <pthread.h>

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace {

struct Values {
  pthread_key_t key;
  int destroyed = 0;
};

void destroy(void* value) {
  Values& values = *static_cast<Values*>(value);
  assert(pthread_getspecific(values.key) == nullptr);
  if (++values.destroyed == 1) assert(pthread_setspecific(values.key, value) == 0);
}

void* work(void* argument) {
  Values& values = *static_cast<Values*>(argument);
  assert(pthread_getspecific(values.key) == nullptr);
  assert(pthread_setspecific(values.key, argument) == 0);
  assert(pthread_getspecific(values.key) == argument);
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Values values[2];
  assert(pthread_key_create(&values[0].key, destroy) == 0);
  values[1].key = values[0].key;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) assert(pthread_create(&threads[i], nullptr, work, &values[i]) == 0);
  for (const pthread_t thread : threads) assert(pthread_join(thread, nullptr) == 0);
  assert(values[0].destroyed == 2 && values[1].destroyed == 2);
  assert(pthread_key_delete(values[0].key) == 0);
  return 0;
}
