// EXPECT: pass
// PRIMITIVES: pthread_rwlock_init, pthread_rwlock_destroy, pthread_rwlock_rdlock, pthread_rwlock_wrlock
// PRIMITIVES: pthread_rwlock_tryrdlock, pthread_rwlock_trywrlock, pthread_rwlock_timedrdlock
// PRIMITIVES: pthread_rwlock_timedwrlock, pthread_rwlock_clockrdlock, pthread_rwlock_clockwrlock
// PRIMITIVES: pthread_rwlock_unlock
// Writers exclude everybody, readers only writers, for every kind of lock; and what each call returns.
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

struct Lock {
  explicit Lock(int kind, int shared = PTHREAD_PROCESS_PRIVATE) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    assert(pthread_rwlockattr_setkind_np(&attributes, kind) == 0);
    assert(pthread_rwlockattr_setpshared(&attributes, shared) == 0);
    assert(pthread_rwlock_init(&lock, &attributes) == 0);
    pthread_rwlockattr_destroy(&attributes);
  }
  ~Lock() { assert(pthread_rwlock_destroy(&lock) == 0); }
  pthread_rwlock_t lock;
  int value = 0;
  std::atomic<int> readers{0};
  std::atomic<int> writers{0};
};

timespec in_an_hour(clockid_t clock) {
  timespec time;
  assert(clock_gettime(clock, &time) == 0);
  time.tv_sec += 3600;
  return time;
}

void write(Lock& lock) {
  assert(++lock.writers == 1 && lock.readers == 0);
  ++lock.value;
  --lock.writers;
  assert(pthread_rwlock_tryrdlock(&lock.lock) == EBUSY);
  assert(pthread_rwlock_trywrlock(&lock.lock) == EBUSY);
  assert(pthread_rwlock_rdlock(&lock.lock) == EDEADLK);
  assert(pthread_rwlock_wrlock(&lock.lock) == EDEADLK);
  const timespec later = in_an_hour(CLOCK_REALTIME);
  assert(pthread_rwlock_timedwrlock(&lock.lock, &later) == EDEADLK);
  assert(pthread_rwlock_unlock(&lock.lock) == 0);
}

int read(Lock& lock) {
  ++lock.readers;
  assert(lock.writers == 0);
  const int seen = lock.value;
  assert(pthread_rwlock_trywrlock(&lock.lock) == EBUSY);
  --lock.readers;
  assert(pthread_rwlock_unlock(&lock.lock) == 0);
  return seen;
}

// Locks in one of several ways, and says whether it got the lock.
bool lock_to_write(Lock& lock, int way) {
  const timespec real = in_an_hour(CLOCK_REALTIME);
  const timespec monotonic = in_an_hour(CLOCK_MONOTONIC);
  int error = 0;
  switch (way) {
    case 0: assert(pthread_rwlock_wrlock(&lock.lock) == 0); return true;
    case 1:
      error = pthread_rwlock_trywrlock(&lock.lock);
      assert(error == 0 || error == EBUSY);
      return error == 0;
    case 2: error = pthread_rwlock_timedwrlock(&lock.lock, &real); break;
    default: error = pthread_rwlock_clockwrlock(&lock.lock, CLOCK_MONOTONIC, &monotonic); break;
  }
  assert(error == 0 || error == ETIMEDOUT);
  return error == 0;
}

bool lock_to_read(Lock& lock, int way) {
  const timespec real = in_an_hour(CLOCK_REALTIME);
  const timespec monotonic = in_an_hour(CLOCK_MONOTONIC);
  int error = 0;
  switch (way) {
    case 0: assert(pthread_rwlock_rdlock(&lock.lock) == 0); return true;
    case 1:
      error = pthread_rwlock_tryrdlock(&lock.lock);
      assert(error == 0 || error == EBUSY);
      return error == 0;
    case 2: error = pthread_rwlock_timedrdlock(&lock.lock, &real); break;
    default: error = pthread_rwlock_clockrdlock(&lock.lock, CLOCK_MONOTONIC, &monotonic); break;
  }
  assert(error == 0 || error == ETIMEDOUT);
  return error == 0;
}

void check_bad_times(Lock& lock) {
  for (const long bad : {-1L, 1'000'000'000L}) {
    const timespec time{0, bad};
    assert(pthread_rwlock_timedrdlock(&lock.lock, &time) == EINVAL);
    assert(pthread_rwlock_timedwrlock(&lock.lock, &time) == EINVAL);
    assert(pthread_rwlock_clockrdlock(&lock.lock, CLOCK_MONOTONIC, &time) == EINVAL);
    assert(pthread_rwlock_clockwrlock(&lock.lock, CLOCK_MONOTONIC, &time) == EINVAL);
  }
  const timespec good{0, 0};
  assert(pthread_rwlock_clockrdlock(&lock.lock, CLOCK_PROCESS_CPUTIME_ID, &good) == EINVAL);
  assert(pthread_rwlock_clockwrlock(&lock.lock, CLOCK_PROCESS_CPUTIME_ID, &good) == EINVAL);
}

// A lock that another thread keeps is not to be had; the deadline passes first.
void check_held(Lock& lock) {
  assert(pthread_rwlock_rdlock(&lock.lock) == 0);
  assert(pthread_rwlock_rdlock(&lock.lock) == 0);  // nobody writes: a second time is fine for every kind
  std::thread([&] {
    const timespec later = in_an_hour(CLOCK_REALTIME);
    assert(pthread_rwlock_timedwrlock(&lock.lock, &later) == ETIMEDOUT);
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    assert(now.tv_sec >= later.tv_sec);
    assert(pthread_rwlock_clockwrlock(&lock.lock, CLOCK_REALTIME, &now) == ETIMEDOUT);
    assert(pthread_rwlock_trywrlock(&lock.lock) == EBUSY);
    assert(pthread_rwlock_timedrdlock(&lock.lock, &now) == 0);
    assert(pthread_rwlock_unlock(&lock.lock) == 0);
  }).join();
  assert(pthread_rwlock_unlock(&lock.lock) == 0);
  assert(pthread_rwlock_unlock(&lock.lock) == 0);
  assert(pthread_rwlock_wrlock(&lock.lock) == 0);
  std::thread([&] {
    const timespec later = in_an_hour(CLOCK_MONOTONIC);
    assert(pthread_rwlock_clockrdlock(&lock.lock, CLOCK_MONOTONIC, &later) == ETIMEDOUT);
    assert(pthread_rwlock_tryrdlock(&lock.lock) == EBUSY);
  }).join();
  assert(pthread_rwlock_unlock(&lock.lock) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Lock locks[] = {Lock(PTHREAD_RWLOCK_PREFER_READER_NP), Lock(PTHREAD_RWLOCK_PREFER_WRITER_NP),
                  Lock(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP, PTHREAD_PROCESS_SHARED)};
  int written[2][3] = {};
  const auto work = [&](int me) {
    for (int i = 0; i < 3; ++i) {
      if (lock_to_write(locks[i], (me + i) % 4)) {
        write(locks[i]);
        ++written[me][i];
      }
      if (lock_to_read(locks[i], (me + i + 1) % 4)) assert(read(locks[i]) >= written[me][i]);
    }
  };
  std::thread first(work, 0);
  std::thread second(work, 1);
  for (Lock& lock : locks) {
    assert(pthread_rwlock_rdlock(&lock.lock) == 0);
    assert(read(lock) <= 2);
  }
  first.join();
  second.join();
  for (int i = 0; i < 3; ++i) {
    assert(locks[i].value == written[0][i] + written[1][i]);
    check_bad_times(locks[i]);
    check_held(locks[i]);
  }
  return 0;
}
