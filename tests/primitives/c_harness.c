// EXPECT: pass
// PRIMITIVES: pthread_create, pthread_join, pthread_mutex_lock, pthread_cond_wait, pthread_cond_broadcast (from C)
// A harness in C: payload, pthreads, a lock and a condition variable.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct shared {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  unsigned sum;
  int ready;
  const uint8_t* data;
  size_t size;
};

static void* add(void* argument) {
  struct shared* shared = argument;
  pthread_mutex_lock(&shared->mutex);
  while (!shared->ready) pthread_cond_wait(&shared->changed, &shared->mutex);
  for (size_t i = 0; i < shared->size; ++i) shared->sum += shared->data[i];
  pthread_mutex_unlock(&shared->mutex);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  struct shared shared;
  memset(&shared, 0, sizeof shared);
  pthread_mutex_init(&shared.mutex, NULL);
  pthread_cond_init(&shared.changed, NULL);
  shared.data = data;
  shared.size = size;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, add, &shared) == 0);
  pthread_mutex_lock(&shared.mutex);
  shared.ready = 1;
  pthread_cond_broadcast(&shared.changed);
  pthread_mutex_unlock(&shared.mutex);
  for (int i = 0; i < 2; ++i) assert(pthread_join(threads[i], NULL) == 0);
  assert(shared.sum % 2 == 0);
  pthread_cond_destroy(&shared.changed);
  pthread_mutex_destroy(&shared.mutex);
  return 0;
}
