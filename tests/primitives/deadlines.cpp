// EXPECT: pass
// PRIMITIVES: pthread_mutex_timedlock, pthread_mutex_clocklock, pthread_cond_timedwait, pthread_cond_clockwait
// Waits with a deadline, on both clocks: none ends in a time-out before it, one that has no end ends by a notification
// only, and bad times are refused as POSIX says.
#include <pthread.h>
#include <time.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;
using Wall = std::chrono::system_clock;

namespace {

template <class Clock>
void time_out() {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  const auto deadline = Clock::now() + 1h;
  while (condition.wait_until(lock, deadline) == std::cv_status::no_timeout) {
  }
  assert(Clock::now() >= deadline);
  assert(!condition.wait_until(lock, Clock::now() - 1h, [] { return false; }));
  std::timed_mutex held;
  std::recursive_timed_mutex held_again;
  held.lock();
  held_again.lock();
  std::thread other([&] {
    const auto until = Clock::now() + 1min;
    assert(!held.try_lock_until(until));
    assert(Clock::now() >= until);
    assert(!held.try_lock_until(Clock::now() - 1min));
    assert(!held_again.try_lock_for(1us));
  });
  other.join();
  held.unlock();
  held_again.unlock();
}

// A deadline that no clock will ever show.
void wait_for_ever() {
  std::mutex mutex;
  std::condition_variable condition;
  std::condition_variable_any any;
  bool ready = false;
  const auto is_ready = [&] { return ready; };
  std::thread steady([&] {
    std::unique_lock lock(mutex);
    assert(condition.wait_until(lock, Steady::time_point::max(), is_ready));
  });
  std::thread wall([&] {
    std::unique_lock lock(mutex);
    assert(condition.wait_until(lock, Wall::time_point::max(), is_ready));
    assert(any.wait_until(lock, Steady::time_point::max(), is_ready));
  });
  std::thread raw([&] {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    const timespec never{std::numeric_limits<time_t>::max(), 999'999'999};
    assert(pthread_mutex_timedlock(&own, &never) == 0);
    assert(pthread_mutex_unlock(&own) == 0);
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  condition.notify_all();
  any.notify_all();
  steady.join();
  wall.join();
  raw.join();
}

void refuse_bad_times() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  const timespec good{2'000'000'000, 0};
  for (const timespec bad : {timespec{0, -1}, timespec{0, 1'000'000'000}}) {
    assert(pthread_mutex_timedlock(&mutex, &bad) == 0);  // need not wait
    std::thread other([&] {
      assert(pthread_mutex_timedlock(&mutex, &bad) == EINVAL);
      assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &bad) == EINVAL);
      assert(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &good) == EINVAL);
    });
    other.join();
    assert(pthread_cond_timedwait(&condition, &mutex, &bad) == EINVAL);
    assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_REALTIME, &bad) == EINVAL);
    assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_BOOTTIME, &good) == EINVAL);
    assert(pthread_mutex_unlock(&mutex) == 0);
  }
  const timespec before_time_began{-1, 0};
  assert(pthread_mutex_lock(&mutex) == 0);
  int error = 0;
  while ((error = pthread_cond_timedwait(&condition, &mutex, &before_time_began)) == 0) {
  }
  assert(error == ETIMEDOUT);
  assert(pthread_mutex_unlock(&mutex) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  time_out<Steady>();
  time_out<Wall>();
  wait_for_ever();
  refuse_bad_times();
  return 0;
}
