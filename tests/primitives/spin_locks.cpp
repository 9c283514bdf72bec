// EXPECT: pass
// PRIMITIVES: pthread_spin_init, pthread_spin_destroy, pthread_spin_lock, pthread_spin_trylock, pthread_spin_unlock
// Spin locks exclude, and a try that fails says so.
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  static pthread_spinlock_t global = [] {
    pthread_spinlock_t made;
    pthread_spin_init(&made, PTHREAD_PROCESS_PRIVATE);
    return made;
  }();
  pthread_spinlock_t lock;
  assert(pthread_spin_init(&lock, PTHREAD_PROCESS_SHARED) == 0);
  int value = 0;
  int tried = 0;
  int by_global = 0;
  const auto work = [&] {
    assert(pthread_spin_lock(&lock) == 0);
    ++value;
    assert(pthread_spin_trylock(&lock) == EBUSY);
    assert(pthread_spin_unlock(&lock) == 0);
    const int error = pthread_spin_trylock(&lock);
    assert(error == 0 || error == EBUSY);
    if (error == 0) {
      ++tried;
      assert(pthread_spin_unlock(&lock) == 0);
    }
    pthread_spin_lock(&global);
    ++by_global;
    pthread_spin_unlock(&global);
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  assert(value == 2 && by_global == 2 && tried >= 1);  // whoever tries last finds it free
  assert(pthread_spin_destroy(&lock) == 0);
  return 0;
}
