// EXPECT: pass
// PRIMITIVES: pthread_cond_wait, pthread_cond_timedwait, pthread_cond_clockwait
// PRIMITIVES: pthread_cond_signal, pthread_cond_broadcast
// A bounded buffer over pthread condition variables, with waits of every kind.
#include <pthread.h>
#include <time.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace {

struct Buffer {
  Buffer() {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    assert(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    assert(pthread_cond_init(&filled, &attributes) == 0);
    pthread_condattr_destroy(&attributes);
  }
  ~Buffer() {
    assert(pthread_cond_destroy(&filled) == 0);
    assert(pthread_cond_destroy(&emptied) == 0);
    assert(pthread_mutex_destroy(&mutex) == 0);
  }

  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t filled;
  pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
  int value = 0;
  int sum = 0;
};

timespec in_a_second(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 1;
  return time;
}

void* produce(void* argument) {
  Buffer& buffer = *static_cast<Buffer*>(argument);
  for (int i = 1; i <= 3; ++i) {
    pthread_mutex_lock(&buffer.mutex);
    while (buffer.value != 0) {
      const timespec deadline = in_a_second(CLOCK_MONOTONIC);
      const int error = i == 1 ? pthread_cond_wait(&buffer.emptied, &buffer.mutex)
                               : pthread_cond_clockwait(&buffer.emptied, &buffer.mutex, CLOCK_MONOTONIC, &deadline);
      assert(error == 0 || error == ETIMEDOUT);
    }
    buffer.value = i;
    pthread_mutex_unlock(&buffer.mutex);
    if (i == 2)
      pthread_cond_broadcast(&buffer.filled);
    else
      pthread_cond_signal(&buffer.filled);
  }
  return nullptr;
}

void* consume(void* argument) {
  Buffer& buffer = *static_cast<Buffer*>(argument);
  for (int i = 1; i <= 3; ++i) {
    pthread_mutex_lock(&buffer.mutex);
    while (buffer.value == 0) {
      const timespec deadline = in_a_second(CLOCK_MONOTONIC);
      const int error = i == 1 ? pthread_cond_timedwait(&buffer.filled, &buffer.mutex, &deadline)
                               : pthread_cond_wait(&buffer.filled, &buffer.mutex);
      assert(error == 0 || (i == 1 && error == ETIMEDOUT));
    }
    assert(buffer.value == i);
    buffer.sum += buffer.value;
    buffer.value = 0;
    pthread_cond_signal(&buffer.emptied);
    pthread_mutex_unlock(&buffer.mutex);
  }
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Buffer buffer;
  pthread_t threads[2];
  assert(pthread_create(&threads[0], nullptr, produce, &buffer) == 0);
  assert(pthread_create(&threads[1], nullptr, consume, &buffer) == 0);
  for (const pthread_t thread : threads) assert(pthread_join(thread, nullptr) == 0);
  assert(buffer.sum == 6);
  return 0;
}
