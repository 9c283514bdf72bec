// Virtual time. It stands still but for two things: reading a clock takes a microsecond, and a sleep or
// time-out that fires moves it to that moment. So a program that sleeps for an hour runs at once, and
// reads the same times in every run. See docs/time.md.
#include <sched.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/libraries.h"
#include "instrumentation/runtime/system.h"

extern "C" int timespec_getres(timespec* result, int base) noexcept;  // C23: glibc has it, its headers hide it

WEAVEFUZZ_DECLARE_REAL(clock_gettime)
WEAVEFUZZ_DECLARE_REAL(clock_getres)
WEAVEFUZZ_DECLARE_REAL(gettimeofday)
WEAVEFUZZ_DECLARE_REAL(time)
WEAVEFUZZ_DECLARE_REAL(timespec_get)
WEAVEFUZZ_DECLARE_REAL(timespec_getres)
WEAVEFUZZ_DECLARE_REAL(clock)
WEAVEFUZZ_DECLARE_REAL(times)
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
// Who waits for a time as far away as this waits for ever. Clocks, in nanoseconds, stay far below 2^63.
constexpr std::uint64_t kHorizon = std::uint64_t{100} * 365 * 24 * 3600 * kSecond;
constexpr long kTicksPerSecond = 100;  // sysconf(_SC_CLK_TCK)

enum class Source : std::uint8_t { kWall, kMonotonic, kCpu, kInvalid };

Source source_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI: return Source::kWall;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM: return Source::kMonotonic;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID: return Source::kCpu;
    default: return clock < 0 ? Source::kCpu : Source::kInvalid;  // of a process or thread, if negative
  }
}

std::uint64_t start_of(Source source) { return source == Source::kWall ? kRealtimeStart : kMonotonicStart; }

// What a clock shows. Threads do not take turns on a real processor, so all count the same processor time.
std::uint64_t shown(Source source) {
  return source == Source::kCpu ? scheduler.busy() : start_of(source) + scheduler.now();
}

// REQUIRES: is_valid(time). As far as 64 bits go.
std::uint64_t nanoseconds(const timespec& time) {
  const auto seconds = static_cast<std::uint64_t>(time.tv_sec);
  if (seconds >= std::numeric_limits<std::uint64_t>::max() / kSecond) return std::numeric_limits<std::uint64_t>::max();
  return seconds * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

timespec to_timespec(std::uint64_t time) {
  return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

// Somebody reads a clock. It is an event: a loop that waits for a time must let others run. An allocator may hold its
// own locks.
std::uint64_t read_clock(Source source, const void* caller) {
  if (!is_in_allocator(caller)) scheduler.reach({.kind = EventKind::kReadClock, .caller = caller});
  scheduler.spend_time(kReadingTakes);
  return shown(source);
}

// From now.
std::uint64_t deadline_after(std::uint64_t duration) {
  return duration < kHorizon ? scheduler.now() + std::max<std::uint64_t>(duration, 1) : kNever;
}

// Returns how much of the time was left when a signal came: 0, if none did.
std::uint64_t sleep_until(std::uint64_t deadline, const void* caller) {
  if (scheduler.reach({.kind = EventKind::kSleep, .caller = caller}, {.gate = Gate::kClock, .deadline = deadline}) !=
      Readiness::kSpurious)
    return 0;
  if (deadline <= scheduler.now()) return 0;  // it would have woken by now
  const std::uint64_t left = deadline - scheduler.now();
  deliver_signals();
  return left;
}

int sleep_on(clockid_t clock, int flags, const timespec& time, timespec* left, const void* caller) {
  const Source source = source_of(clock);
  if (source == Source::kInvalid || clock == CLOCK_THREAD_CPUTIME_ID || !is_valid(time)) return EINVAL;
  if (source == Source::kCpu)
    scheduler.refuse("clock_nanosleep", "sleeping on a clock of processor time is not supported", caller);
  const bool is_absolute = (flags & TIMER_ABSTIME) != 0;
  const std::uint64_t rest =
      sleep_until(is_absolute ? virtual_deadline(clock, time) : deadline_after(nanoseconds(time)), caller);
  if (rest == 0) return 0;
  if (!is_absolute && left != nullptr) *left = to_timespec(rest);
  return EINTR;
}

int set_error(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

std::uint64_t virtual_deadline(clockid_t clock, const timespec& deadline) {
  const std::uint64_t start = start_of(source_of(clock));
  const std::uint64_t time = deadline.tv_sec < 0 ? 0 : nanoseconds(deadline);
  // Past ones are due at once, but are deadlines.
  return time > start + scheduler.now() ? deadline_after(time - start - scheduler.now()) : scheduler.now() + 1;
}

std::uint64_t virtual_deadline_after(const timespec& duration) { return deadline_after(nanoseconds(duration)); }

extern "C" int clock_gettime(clockid_t clock, timespec* result) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(clock_gettime, clock, result);
  const Source source = source_of(clock);
  if (source == Source::kInvalid) return set_error(EINVAL);
  *result = to_timespec(read_clock(source, WEAVEFUZZ_CALLER()));
  return 0;
}

extern "C" int clock_getres(clockid_t clock, timespec* result) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(clock_getres, clock, result);
  if (source_of(clock) == Source::kInvalid) return set_error(EINVAL);
  if (result != nullptr) *result = {0, 1};
  return 0;
}

extern "C" int gettimeofday(timeval* __restrict result, void* __restrict zone) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(gettimeofday, result, zone);
  const timespec now = to_timespec(read_clock(Source::kWall, WEAVEFUZZ_CALLER()));
  timeval* volatile out = result;  // the header says that it is never null; programs differ
  if (out != nullptr) *out = {now.tv_sec, now.tv_nsec / 1000};
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
  return 0;
}

extern "C" time_t time(time_t* result) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(time, result);
  const auto now = static_cast<time_t>(read_clock(Source::kWall, WEAVEFUZZ_CALLER()) / kSecond);
  if (result != nullptr) *result = now;
  return now;
}

extern "C" int timespec_get(timespec* result, int base) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(timespec_get, result, base);
  if (base != TIME_UTC) return 0;
  *result = to_timespec(read_clock(Source::kWall, WEAVEFUZZ_CALLER()));
  return base;
}

extern "C" int timespec_getres(timespec* result, int base) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(timespec_getres, result, base);
  if (base != TIME_UTC) return 0;
  if (result != nullptr) *result = {0, 1};
  return base;
}

extern "C" clock_t clock() noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(clock);
  return static_cast<clock_t>(read_clock(Source::kCpu, WEAVEFUZZ_CALLER()) / (kSecond / CLOCKS_PER_SEC));
}

extern "C" clock_t times(tms* result) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(times, result);
  const auto ticks = [](std::uint64_t time) { return static_cast<clock_t>(time / (kSecond / kTicksPerSecond)); };
  const clock_t now = ticks(read_clock(Source::kMonotonic, WEAVEFUZZ_CALLER()));
  if (result != nullptr)
    *result = {.tms_utime = ticks(scheduler.busy()), .tms_stime = 0, .tms_cutime = 0, .tms_cstime = 0};
  return now;
}

extern "C" int nanosleep(const timespec* duration, timespec* left) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(nanosleep, duration, left);
  return set_error(sleep_on(CLOCK_MONOTONIC, 0, *duration, left, WEAVEFUZZ_CALLER()));
}

extern "C" int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(clock_nanosleep, clock, flags, time, left);
  return sleep_on(clock, flags, *time, left, WEAVEFUZZ_CALLER());
}

extern "C" int usleep(useconds_t microseconds) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(usleep, microseconds);
  if (sleep_until(deadline_after(std::uint64_t{microseconds} * 1000), WEAVEFUZZ_CALLER()) == 0) return 0;
  return set_error(EINTR);
}

extern "C" unsigned sleep(unsigned seconds) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sleep, seconds);
  const std::uint64_t left = sleep_until(deadline_after(seconds * kSecond), WEAVEFUZZ_CALLER());
  return static_cast<unsigned>((left + kSecond - 1) / kSecond);
}

extern "C" int sched_yield() noexcept {
  // No look-up here: a sanitizer yields while it holds the allocator's lock.
  if (self == nullptr) return static_cast<int>(system_call(SYS_sched_yield));
  self->yields = true;
  scheduler.reach({.kind = EventKind::kYield, .caller = WEAVEFUZZ_CALLER()});
  return 0;
}

}  // namespace weavefuzz::runtime
