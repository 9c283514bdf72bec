// EXPECT: plain=deadlock tsan=deadlock|lock-order asan=deadlock builds=plain,tsan,asan
// PRIMITIVES: mtx_lock
// Two C11 mutexes in opposite order.
#include <stddef.h>
#include <stdint.h>
#include <threads.h>

static mtx_t mutexes[2];

static int lock_both(void* first) {
  mtx_t* const second = first == &mutexes[0] ? &mutexes[1] : &mutexes[0];
  mtx_lock(first);
  mtx_lock(second);
  mtx_unlock(second);
  mtx_unlock(first);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)data, (void)size;
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) mtx_init(&mutexes[i], mtx_plain);
  for (int i = 0; i < 2; ++i) thrd_create(&threads[i], lock_both, &mutexes[i]);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], NULL);
  for (int i = 0; i < 2; ++i) mtx_destroy(&mutexes[i]);
  return 0;
}
