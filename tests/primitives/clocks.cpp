// EXPECT: pass
// PRIMITIVES: clock_gettime, clock_getres, gettimeofday, time, timespec_get, clock, times, syscall, std::chrono
// Every way to read a clock: the same value at the start of every run, never backwards, and all tell of the same time.
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

using namespace std::chrono_literals;
using Nanoseconds = std::chrono::nanoseconds;

namespace {

Nanoseconds duration(const timespec& time) {
  assert(time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000);
  return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

Nanoseconds read(clockid_t clock) {
  timespec time;
  assert(clock_gettime(clock, &time) == 0);
  return duration(time);
}

// Each of these clocks goes on, by what a day of sleep is worth to it.
void read_system_clocks() {
  constexpr clockid_t kSteady[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME};
  constexpr clockid_t kWall[] = {CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_TAI};
  constexpr clockid_t kProcessor[] = {CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
  const auto check = [](clockid_t clock, Nanoseconds least, Nanoseconds most) {
    const Nanoseconds before = read(clock);
    std::this_thread::sleep_for(24h);
    const Nanoseconds slept = read(clock) - before;
    assert(slept >= least && slept > 0ns && slept < most);
    timespec resolution;
    assert(clock_getres(clock, &resolution) == 0 && duration(resolution) == 1ns);
    assert(clock_getres(clock, nullptr) == 0);
  };
  for (const clockid_t clock : kSteady) check(clock, 24h, Nanoseconds::max());
  for (const clockid_t clock : kWall) check(clock, 24h, Nanoseconds::max());
  for (const clockid_t clock : kProcessor) check(clock, 0h, 1h);
  timespec time;
  errno = 0;
  assert(clock_gettime(1000, &time) == -1 && errno == EINVAL);
  errno = 0;
  assert(clock_getres(1000, &time) == -1 && errno == EINVAL);
}

// What was read later is not earlier, whichever call read it.
void read_wall_clock_in_all_ways() {
  const Nanoseconds first = read(CLOCK_REALTIME);
  timeval old;
  struct timezone zone = {1, 1};
  assert(gettimeofday(&old, &zone) == 0 && zone.tz_minuteswest == 0);
  const Nanoseconds second = std::chrono::seconds(old.tv_sec) + std::chrono::microseconds(old.tv_usec);
  timespec standard;
  assert(timespec_get(&standard, TIME_UTC) == TIME_UTC);
  const Nanoseconds third = duration(standard);
  const Nanoseconds fourth = std::chrono::system_clock::now().time_since_epoch();
  timespec raw;
  assert(syscall(SYS_clock_gettime, CLOCK_REALTIME, &raw) == 0);
  const Nanoseconds fifth = duration(raw);
  assert(first <= second + 1us && second <= third && third <= fourth && fourth <= fifth);
  time_t stored = 0;
  const time_t seconds = time(&stored);
  assert(seconds == stored && std::chrono::seconds(seconds + 1) > fifth);
  assert(timespec_get(&standard, TIME_UTC + 1000) == 0);
  const tm* parts = gmtime(&seconds);
  assert(parts->tm_year + 1900 == 2024);
}

void read_processor_time() {
  const clock_t before = clock();
  tms parts;
  const clock_t ticks = times(&parts);
  assert(before >= 0 && ticks > 0 && parts.tms_utime >= 0 && parts.tms_cutime == 0);
  sleep(100);
  assert(clock() >= before && clock() - before < CLOCKS_PER_SEC);
  assert(times(&parts) - ticks >= 100 * sysconf(_SC_CLK_TCK));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  static Nanoseconds first_of_all[3] = {};
  const Nanoseconds now[3] = {read(CLOCK_REALTIME), read(CLOCK_MONOTONIC), read(CLOCK_PROCESS_CPUTIME_ID)};
  for (int i = 0; i < 3; ++i) {
    if (first_of_all[i] == 0ns) first_of_all[i] = now[i];
    assert(now[i] == first_of_all[i]);
  }
  const auto never_backwards = [] {
    auto last = std::chrono::high_resolution_clock::now();
    auto last_steady = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) {
      const auto next = std::chrono::high_resolution_clock::now();
      const auto next_steady = std::chrono::steady_clock::now();
      assert(next > last && next_steady > last_steady);
      last = next;
      last_steady = next_steady;
    }
  };
  std::thread first(never_backwards);
  std::thread second(read_system_clocks);
  never_backwards();
  read_wall_clock_in_all_ways();
  first.join();
  second.join();
  read_processor_time();
  return 0;
}
