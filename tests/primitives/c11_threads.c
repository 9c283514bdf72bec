// EXPECT: pass
// PRIMITIVES: thrd_create, thrd_join, thrd_detach, thrd_exit, thrd_current, thrd_equal, thrd_yield, thrd_sleep
// PRIMITIVES: mtx_init, mtx_destroy, mtx_lock, mtx_timedlock, mtx_trylock, mtx_unlock, cnd_init, cnd_destroy, cnd_wait
// PRIMITIVES: cnd_timedwait, cnd_signal, cnd_broadcast, tss_create, tss_delete, tss_get, tss_set, call_once
// PRIMITIVES: timespec_get
// C11 threads: every call, and its results.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex, timed, recursive;
static cnd_t changed;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int initialised, ready, sum, by_recursive, destroyed, detached_done;

static void initialise(void) { ++initialised; }

static void destroy(void* value) {
  assert(mtx_lock(&mutex) == thrd_success);
  destroyed += *(int*)value;
  assert(mtx_unlock(&mutex) == thrd_success);
}

static struct timespec after(time_t seconds) {
  struct timespec time;
  assert(timespec_get(&time, TIME_UTC) == TIME_UTC);
  time.tv_sec += seconds;
  return time;
}

static int work(void* argument) {
  static int one = 1;
  static int minus_one = -1;
  const thrd_t me = thrd_current();
  assert(thrd_equal(me, thrd_current()));
  call_once(&once, initialise);
  assert(initialised == 1);
  assert(tss_get(key) == NULL);
  assert(tss_set(key, &one) == thrd_success && tss_get(key) == &one);

  assert(mtx_lock(&mutex) == thrd_success);
  assert(mtx_trylock(&mutex) == thrd_busy);
  while (!ready) assert(cnd_wait(&changed, &mutex) == thrd_success);
  ++sum;
  assert(cnd_signal(&changed) == thrd_success);
  assert(mtx_unlock(&mutex) == thrd_success);

  assert(mtx_lock(&recursive) == thrd_success && mtx_trylock(&recursive) == thrd_success);
  ++by_recursive;
  assert(mtx_unlock(&recursive) == thrd_success && mtx_unlock(&recursive) == thrd_success);
  thrd_yield();
  destroy(&one);
  if (argument != NULL) thrd_exit(-7);
  assert(tss_set(key, &minus_one) == thrd_success);
  return 42;
}

static int vanish(void* argument) {
  (void)argument;
  mtx_lock(&mutex);
  detached_done = 1;
  cnd_broadcast(&changed);
  mtx_unlock(&mutex);
  return 0;
}

static int find_it_locked(void* argument) {
  (void)argument;
  const struct timespec later = after(3600);
  assert(mtx_timedlock(&timed, &later) == thrd_timedout);
  const struct timespec now = after(0);
  assert(now.tv_sec >= later.tv_sec);
  assert(mtx_trylock(&timed) == thrd_busy);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)data, (void)size;
  initialised = ready = sum = by_recursive = destroyed = detached_done = 0;
  once = (once_flag)ONCE_FLAG_INIT;
  assert(mtx_init(&mutex, mtx_plain) == thrd_success);
  assert(mtx_init(&timed, mtx_timed) == thrd_success);
  assert(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
  assert(cnd_init(&changed) == thrd_success);
  assert(tss_create(&key, destroy) == thrd_success);

  thrd_t threads[2];
  assert(thrd_create(&threads[0], work, NULL) == thrd_success);
  assert(thrd_create(&threads[1], work, &sum) == thrd_success);
  assert(!thrd_equal(threads[0], threads[1]));
  assert(mtx_lock(&mutex) == thrd_success);
  ready = 1;
  assert(cnd_broadcast(&changed) == thrd_success);
  assert(mtx_unlock(&mutex) == thrd_success);
  int results[2] = {0, 0};
  for (int i = 0; i < 2; ++i) assert(thrd_join(threads[i], &results[i]) == thrd_success);
  assert(results[0] == 42 && results[1] == -7);
  assert(sum == 2 && by_recursive == 2);
  assert(destroyed == 1 + -1 + 1 + 1);  // each by hand, then the destructors

  thrd_t detached;
  assert(thrd_create(&detached, vanish, NULL) == thrd_success);
  assert(thrd_detach(detached) == thrd_success);
  assert(mtx_lock(&mutex) == thrd_success);
  while (!detached_done) {
    const struct timespec later = after(1);
    const int result = cnd_timedwait(&changed, &mutex, &later);
    assert(result == thrd_success || result == thrd_timedout);
  }
  assert(mtx_unlock(&mutex) == thrd_success);

  assert(mtx_lock(&timed) == thrd_success);
  assert(thrd_create(&threads[0], find_it_locked, NULL) == thrd_success);
  assert(thrd_join(threads[0], NULL) == thrd_success);
  assert(mtx_unlock(&timed) == thrd_success);

  const struct timespec second = {1, 0};
  const struct timespec bad = {0, -1};
  assert(thrd_sleep(&second, NULL) == 0);
  assert(thrd_sleep(&bad, NULL) < -1);
  tss_delete(key);
  cnd_destroy(&changed);
  mtx_destroy(&recursive);
  mtx_destroy(&timed);
  mtx_destroy(&mutex);
  return 0;
}
