// EXPECT: pass
// PRIMITIVES: pthread_cleanup_push, pthread_cleanup_pop, pthread_exit
// C code leaves a thread from deep down: handlers run, newest first, and nothing is left behind for the next run.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct state {
  pthread_mutex_t mutex;
  int order[8];
  int count;
};

struct note {
  struct state* state;
  int number;
};

static void remember(void* argument) {
  struct note* note = argument;
  pthread_mutex_lock(&note->state->mutex);
  note->state->order[note->state->count++] = note->number;
  pthread_mutex_unlock(&note->state->mutex);
}

static void unlock(void* argument) { pthread_mutex_unlock(argument); }

// Not a tail call, and not one loop.
__attribute__((noinline)) static int dive(struct state* state, int depth) {
  volatile int here = depth;
  if (depth == 0) {
    pthread_mutex_lock(&state->mutex);
    pthread_cleanup_push(unlock, &state->mutex);
    pthread_exit(state);
    pthread_cleanup_pop(1);
  }
  return dive(state, depth - 1) + here;
}

static void* work(void* argument) {
  struct state* state = argument;
  struct note first = {state, 1}, second = {state, 2}, third = {state, 3}, never = {state, 9};
  pthread_cleanup_push(remember, &first);
  pthread_cleanup_push(remember, &never);
  pthread_cleanup_pop(0);
  pthread_cleanup_push(remember, &second);
  pthread_cleanup_push(remember, &third);
  pthread_cleanup_pop(1);
  dive(state, 60);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

// No handlers: nothing but the end of the thread tells TSan that these frames are gone.
__attribute__((noinline)) static int sink(int depth) {
  volatile int here = depth;
  if (depth == 0) pthread_exit(NULL);
  return sink(depth - 1) + here;
}

static void* go_under(void* argument) {
  sink(60);
  return argument;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)data, (void)size;
  struct state states[2] = {{.mutex = PTHREAD_MUTEX_INITIALIZER}, {.mutex = PTHREAD_MUTEX_INITIALIZER}};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, work, &states[i]) == 0);
  pthread_t plain;
  void* left = &plain;
  assert(pthread_create(&plain, NULL, go_under, &plain) == 0);
  assert(pthread_join(plain, &left) == 0 && left == NULL);
  for (int i = 0; i < 2; ++i) {
    void* result = NULL;
    assert(pthread_join(threads[i], &result) == 0 && result == &states[i]);
    assert(states[i].count == 3);
    assert(states[i].order[0] == 3 && states[i].order[1] == 2 && states[i].order[2] == 1);
    assert(pthread_mutex_trylock(&states[i].mutex) == 0);
    pthread_mutex_unlock(&states[i].mutex);
  }
  return 0;
}
