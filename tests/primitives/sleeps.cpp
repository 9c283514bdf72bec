// EXPECT: pass
// PRIMITIVES: nanosleep, clock_nanosleep, usleep, sleep, syscall, std::this_thread::sleep_for,
// std::this_thread::sleep_until Nobody wakes before the time that it asked for, however far away or long past; bad
// times are refused as POSIX says.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

template <class Sleep>
void takes(std::chrono::nanoseconds least, Sleep sleep) {
  const auto steady = Clock::now();
  const auto wall = std::chrono::system_clock::now();
  sleep();
  assert(Clock::now() - steady >= least);
  assert(std::chrono::system_clock::now() - wall >= least);
}

timespec moment(clockid_t clock, long seconds_from_now) {
  timespec time;
  assert(clock_gettime(clock, &time) == 0);
  time.tv_sec += seconds_from_now;
  return time;
}

void sleep_in_all_ways() {
  takes(1ms + 1ns, [] {
    const timespec time{0, 1'000'001};
    timespec left{7, 7};
    assert(nanosleep(&time, &left) == 0 && left.tv_sec == 7);
  });
  takes(3s, [] { assert(sleep(3) == 0); });
  takes(1500ms, [] { assert(usleep(1'500'000) == 0); });
  takes(0s, [] { assert(usleep(0) == 0 && sleep(0) == 0); });
  takes(100h, [] { std::this_thread::sleep_for(100h); });
  takes(1us, [] { std::this_thread::sleep_for(0.5us + 600ns); });
  takes(0s, [] { std::this_thread::sleep_for(-1s); });
  takes(1min, [] { std::this_thread::sleep_until(Clock::now() + 1min); });
  takes(1min, [] { std::this_thread::sleep_until(std::chrono::system_clock::now() + 1min); });
  takes(0s, [] { std::this_thread::sleep_until(Clock::now() - 1min); });
  for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME}) {
    takes(10s, [clock] {
      const timespec time = moment(clock, 10);
      assert(clock_nanosleep(clock, TIMER_ABSTIME, &time, nullptr) == 0);
      assert(moment(clock, 0).tv_sec >= time.tv_sec);
    });
    takes(0s, [clock] {
      const timespec past = moment(clock, -10);
      assert(clock_nanosleep(clock, TIMER_ABSTIME, &past, nullptr) == 0);
    });
    takes(10s, [clock] {
      const timespec time{10, 0};
      assert(clock_nanosleep(clock, 0, &time, nullptr) == 0);
    });
  }
  takes(2s, [] {
    const timespec time{2, 0};
    assert(syscall(SYS_nanosleep, &time, nullptr) == 0);
  });
}

void refuse_bad_times() {
  for (const timespec bad : {timespec{0, -1}, timespec{0, 1'000'000'000}, timespec{-1, 0}}) {
    errno = 0;
    assert(nanosleep(&bad, nullptr) == -1 && errno == EINVAL);
    errno = 0;
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, nullptr) == EINVAL && errno == 0);
    assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &bad, nullptr) == EINVAL);
    assert(syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &bad, nullptr) == -1 && errno == EINVAL);
  }
  const timespec time{1, 0};
  assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &time, nullptr) == EINVAL);
  assert(clock_nanosleep(1000, 0, &time, nullptr) == EINVAL);
}

// Whoever wakes later by the clock than the other does not see an earlier time.
void two_sleepers() {
  const auto start = Clock::now();
  Clock::time_point woken[2];
  std::thread early([&] {
    std::this_thread::sleep_until(start + 1h);
    woken[0] = Clock::now();
    std::this_thread::sleep_until(start + 1h);  // has passed
    assert(Clock::now() > woken[0]);
  });
  std::thread late([&] {
    std::this_thread::sleep_until(start + 2h);
    woken[1] = Clock::now();
  });
  early.join();
  late.join();
  assert(woken[0] >= start + 1h && woken[1] >= start + 2h);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::thread other(sleep_in_all_ways);
  two_sleepers();
  other.join();
  refuse_bad_times();
  return 0;
}
