// Virtual time. It stands still but for two things: reading a clock takes a microsecond, and a sleep or
// time-out that fires moves it to that moment. So a program that sleeps for an hour runs at once, and
// reads the same times in every run.
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/system.h"

WEAVEFUZZ_DECLARE_REAL(clock_gettime)
WEAVEFUZZ_DECLARE_REAL(gettimeofday)
WEAVEFUZZ_DECLARE_REAL(time)
WEAVEFUZZ_DECLARE_REAL(nanosleep)
WEAVEFUZZ_DECLARE_REAL(clock_nanosleep)
WEAVEFUZZ_DECLARE_REAL(usleep)
WEAVEFUZZ_DECLARE_REAL(sleep)

namespace weavefuzz::runtime {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kReadingTakes = 1'000;
constexpr std::uint64_t kRealtimeStart = 1'704'067'200 * kSecond;  // 2024-01-01 00:00 UTC
constexpr std::uint64_t kMonotonicStart = 100'000 * kSecond;

bool is_wall_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

std::uint64_t start_of(clockid_t clock) { return is_wall_clock(clock) ? kRealtimeStart : kMonotonicStart; }

std::uint64_t nanoseconds(const timespec& time) {
  if (time.tv_sec < 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

timespec to_timespec(std::uint64_t time) {
  return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

timespec read_clock(clockid_t clock) {
  scheduler.advance(kReadingTakes);
  return to_timespec(start_of(clock) + scheduler.now());
}

// Returns how much of the time was left when a signal came: 0, if none did.
std::uint64_t sleep_until(std::uint64_t deadline, const void* caller) {
  if (deadline <= scheduler.now()) deadline = scheduler.now() + 1;
  if (scheduler.reach({.kind = EventKind::kSleep, .caller = caller}, {.gate = Gate::kClock, .deadline = deadline}) !=
      Readiness::kSpurious)
    return 0;
  if (deadline <= scheduler.now()) return 0;  // it would have woken by now
  const std::uint64_t left = deadline - scheduler.now();
  deliver_signals();
  return left;
}

}  // namespace

std::uint64_t virtual_deadline(clockid_t clock, const timespec& deadline) {
  const std::uint64_t time = nanoseconds(deadline);
  const std::uint64_t start = start_of(clock);
  return time > start ? time - start : 1;
}

extern "C" int clock_gettime(clockid_t clock, timespec* result) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(clock_gettime, clock, result);
  *result = read_clock(clock);
  return 0;
}

extern "C" int gettimeofday(timeval* __restrict result, void* __restrict zone) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(gettimeofday, result, zone);
  const timespec now = read_clock(CLOCK_REALTIME);
  timeval* volatile out = result;  // the header says that it is never null; programs differ
  if (out != nullptr) *out = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

extern "C" time_t time(time_t* result) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(time, result);
  const time_t now = read_clock(CLOCK_REALTIME).tv_sec;
  if (result != nullptr) *result = now;
  return now;
}

extern "C" int nanosleep(const timespec* duration, timespec* left) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(nanosleep, duration, left);
  const std::uint64_t rest = sleep_until(scheduler.now() + nanoseconds(*duration), WEAVEFUZZ_CALLER());
  if (rest == 0) return 0;
  if (left != nullptr) *left = to_timespec(rest);
  errno = EINTR;
  return -1;
}

extern "C" int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(clock_nanosleep, clock, flags, time, left);
  const bool is_absolute = (flags & TIMER_ABSTIME) != 0;
  const std::uint64_t rest = sleep_until(
      is_absolute ? virtual_deadline(clock, *time) : scheduler.now() + nanoseconds(*time), WEAVEFUZZ_CALLER());
  if (rest == 0) return 0;
  if (!is_absolute && left != nullptr) *left = to_timespec(rest);
  return EINTR;
}

extern "C" int usleep(useconds_t microseconds) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(usleep, microseconds);
  if (sleep_until(scheduler.now() + std::uint64_t{microseconds} * 1000, WEAVEFUZZ_CALLER()) == 0) return 0;
  errno = EINTR;
  return -1;
}

extern "C" unsigned sleep(unsigned seconds) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sleep, seconds);
  return static_cast<unsigned>((sleep_until(scheduler.now() + seconds * kSecond, WEAVEFUZZ_CALLER()) + kSecond - 1) /
                               kSecond);
}

extern "C" int sched_yield() noexcept {
  // No look-up here: a sanitizer yields while it holds the allocator's lock.
  if (self == nullptr) return static_cast<int>(system_call(SYS_sched_yield));
  self->yields = true;
  scheduler.reach({.kind = EventKind::kYield, .caller = WEAVEFUZZ_CALLER()});
  return 0;
}

}  // namespace weavefuzz::runtime
