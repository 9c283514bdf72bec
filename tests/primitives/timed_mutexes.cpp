// EXPECT: pass
// PRIMITIVES: pthread_mutex_timedlock, pthread_mutex_clocklock, std::timed_mutex, std::recursive_timed_mutex
// Locks with a time limit either succeed and exclude, or fail and leave everything alone.
#include <pthread.h>
#include <time.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

namespace {

struct Shared {
  std::timed_mutex timed;
  std::recursive_timed_mutex recursive;
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  int by_timed = 0;
  int by_recursive = 0;
  int by_plain = 0;
};

timespec soon(clockid_t clock) {
  timespec time;
  assert(clock_gettime(clock, &time) == 0);
  time.tv_sec += 1;
  return time;
}

// Each returns how many increments it made.
int use_timed(Shared& shared, bool until) {
  const bool got =
      until ? shared.timed.try_lock_until(std::chrono::steady_clock::now() + 1s) : shared.timed.try_lock_for(1ms);
  if (!got) return 0;
  ++shared.by_timed;
  shared.timed.unlock();
  return 1;
}

int use_recursive(Shared& shared) {
  if (!shared.recursive.try_lock_for(1ms)) return 0;
  assert(shared.recursive.try_lock_for(1h));
  assert(shared.recursive.try_lock());
  ++shared.by_recursive;
  for (int i = 0; i < 3; ++i) shared.recursive.unlock();
  return 1;
}

int use_plain(Shared& shared, clockid_t clock) {
  const timespec deadline = soon(clock);
  const int error = clock == CLOCK_REALTIME ? pthread_mutex_timedlock(&shared.plain, &deadline)
                                            : pthread_mutex_clocklock(&shared.plain, clock, &deadline);
  assert(error == 0 || error == ETIMEDOUT);
  if (error != 0) return 0;
  ++shared.by_plain;
  assert(pthread_mutex_unlock(&shared.plain) == 0);
  return 1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Shared shared;
  int made[2][3] = {};
  const auto work = [&](int me) {
    made[me][0] = use_timed(shared, me == 0);
    made[me][1] = use_recursive(shared);
    made[me][2] = use_plain(shared, me == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
  };
  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();
  assert(shared.by_timed == made[0][0] + made[1][0]);
  assert(shared.by_recursive == made[0][1] + made[1][1]);
  assert(shared.by_plain == made[0][2] + made[1][2]);
  assert(shared.timed.try_lock() && shared.recursive.try_lock());
  shared.timed.unlock();
  shared.recursive.unlock();
  return 0;
}
