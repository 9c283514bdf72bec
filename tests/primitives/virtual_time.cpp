// EXPECT: pass
// PRIMITIVES: nanosleep, clock_nanosleep, usleep, sleep, clock_gettime, gettimeofday, time, std::chrono
// Sleeping takes no time, and the clocks know nothing of it: they go forward, by as much as was slept, and
// the first reading of a run is always the same.
#include <time.h>
#include <unistd.h>

#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  static Clock::time_point first_of_all{};
  const Clock::time_point start = Clock::now();
  if (first_of_all == Clock::time_point{}) first_of_all = start;
  assert(start == first_of_all);
  const auto wall = std::chrono::system_clock::now();
  const auto nap = [](auto time) {
    const Clock::time_point before = Clock::now();
    std::this_thread::sleep_for(time);
    const Clock::time_point after = Clock::now();
    assert(after - before >= time);
  };
  std::thread short_sleeper(nap, 1h);
  std::thread long_sleeper(nap, 24h);
  usleep(10);
  assert(sleep(2) == 0);
  const timespec time{1, 0};
  assert(nanosleep(&time, nullptr) == 0);
  std::this_thread::sleep_until(Clock::now() + 5s);
  short_sleeper.join();
  long_sleeper.join();
  assert(Clock::now() - start >= 24h);
  assert(std::chrono::system_clock::now() - wall >= 24h);
  return 0;
}
