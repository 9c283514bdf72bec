// EXPECT: data-race builds=tsan
// PRIMITIVES: thrd_create, mtx_lock
// One of two C11 threads forgets the lock.
#include <stddef.h>
#include <stdint.h>
#include <threads.h>

static mtx_t mutex;
static int value, other;

static int with_lock(void* argument) {
  mtx_lock(&mutex);
  ++value;
  mtx_unlock(&mutex);
  return argument != NULL;
}

static int without_lock(void* argument) {
  ++value;
  mtx_lock(&mutex);
  ++other;
  mtx_unlock(&mutex);
  return argument != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)data, (void)size;
  mtx_init(&mutex, mtx_plain);
  thrd_t threads[2];
  thrd_create(&threads[0], with_lock, NULL);
  thrd_create(&threads[1], without_lock, NULL);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
  mtx_destroy(&mutex);
  return 0;
}
