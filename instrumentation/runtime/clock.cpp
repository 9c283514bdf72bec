// Virtual time. It stands still but for two things: reading a clock takes a microsecond, and a sleep or
// time-out that fires moves it to that moment. So a program that sleeps for an hour runs at once, and
// reads the same times in every run.
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
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
constexpr std::uint64_t kFarAway = ~std::uint64_t{0} / 4;  // later than anything a program waits for in earnest
constexpr std::uint64_t kReadingTakes = 1'000;
constexpr std::uint64_t kRealtimeStart = 1'704'067'200 * kSecond;  // 2024-01-01 00:00 UTC
constexpr std::uint64_t kMonotonicStart = 100'000 * kSecond;

bool is_wall_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

std::uint64_t start_of(clockid_t clock) { return is_wall_clock(clock) ? kRealtimeStart : kMonotonicStart; }

std::uint64_t nanoseconds(const timespec& time) {
  if (time.tv_sec < 0) return 0;
  if (static_cast<std::uint64_t>(time.tv_sec) >= kFarAway / kSecond) return kFarAway;
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

timespec to_timespec(std::uint64_t time) {
  return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

timespec read_clock(clockid_t clock) {
  scheduler.advance(kReadingTakes);
  return to_timespec(start_of(clock) + scheduler.now());
}

void sleep_until(std::uint64_t deadline, const void* caller) {
  if (deadline <= scheduler.now()) deadline = scheduler.now() + 1;
  scheduler.reach({.kind = EventKind::kSleep, .caller = caller}, {.gate = Gate::kClock, .deadline = deadline});
}

}  // namespace

std::uint64_t virtual_deadline(clockid_t clock, const timespec& deadline) {
  const std::uint64_t time = nanoseconds(deadline);
  const std::uint64_t start = start_of(clock);
  return time > start ? time - start : 1;
}

std::uint64_t virtual_deadline_after(const timespec& duration) {
  return scheduler.now() + std::max<std::uint64_t>(nanoseconds(duration), 1);
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
  if (!is_valid(*duration) || duration->tv_sec < 0) {
    errno = EINVAL;
    return -1;
  }
  sleep_until(scheduler.now() + nanoseconds(*duration), WEAVEFUZZ_CALLER());
  return 0;
}

extern "C" int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(clock_nanosleep, clock, flags, time, left);
  if (!is_valid(*time) || time->tv_sec < 0) return EINVAL;
  sleep_until((flags & TIMER_ABSTIME) != 0 ? virtual_deadline(clock, *time) : scheduler.now() + nanoseconds(*time),
              WEAVEFUZZ_CALLER());
  return 0;
}

extern "C" int usleep(useconds_t microseconds) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(usleep, microseconds);
  sleep_until(scheduler.now() + std::uint64_t{microseconds} * 1000, WEAVEFUZZ_CALLER());
  return 0;
}

extern "C" unsigned sleep(unsigned seconds) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sleep, seconds);
  sleep_until(scheduler.now() + seconds * kSecond, WEAVEFUZZ_CALLER());
  return 0;
}

extern "C" int sched_yield() noexcept {
  // No look-up here: a sanitizer yields while it holds the allocator's lock.
  if (self == nullptr) return static_cast<int>(system_call(SYS_sched_yield));
  self->yields = true;
  scheduler.reach({.kind = EventKind::kYield, .caller = WEAVEFUZZ_CALLER()});
  return 0;
}

}  // namespace weavefuzz::runtime
