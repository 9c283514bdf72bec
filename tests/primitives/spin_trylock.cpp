// EXPECT: pass
// PRIMITIVES: std::mutex::try_lock, pthread_mutex_trylock, std::timed_mutex
// Threads that try a mutex until they have it, or look under a mutex until there is something to see.
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::mutex mutex;
  std::timed_mutex timed;
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  int guarded = 0;
  bool done = false;
  mutex.lock();
  timed.lock();
  assert(pthread_mutex_lock(&plain) == 0);
  std::thread tries([&] {
    while (!mutex.try_lock()) {
    }
    assert(guarded == 1);
    guarded = 2;
    mutex.unlock();
  });
  std::thread tries_all([&] {
    while (!timed.try_lock()) std::this_thread::yield();
    for (int error = 0; (error = pthread_mutex_trylock(&plain)) != 0;) assert(error == EBUSY);
    done = true;
    assert(pthread_mutex_unlock(&plain) == 0);
    timed.unlock();
  });
  std::thread looks([&] {
    for (bool seen = false; !seen;) {
      const std::lock_guard lock(timed);
      seen = done;
    }
  });
  std::thread looks_and_yields([&] {
    for (bool seen = false; !seen; std::this_thread::yield()) {
      const std::lock_guard lock(mutex);
      seen = guarded == 2;
    }
  });
  guarded = 1;
  mutex.unlock();
  assert(pthread_mutex_unlock(&plain) == 0);
  timed.unlock();
  tries.join();
  tries_all.join();
  looks.join();
  looks_and_yields.join();
  assert(guarded == 2 && done);
  return 0;
}
