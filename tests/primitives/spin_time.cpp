// EXPECT: pass
// PRIMITIVES: std::chrono::steady_clock, clock_gettime, std::this_thread::sleep_for, pthread_mutex_trylock
// Spinning and time: until a moment far away, for somebody who sleeps, beside somebody who sleeps, with a look now and
// then, and no more than so many times.
#include <time.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

// Ends, although nobody else can move time.
void spin_for_a_day() {
  const Clock::time_point end = Clock::now() + 24h;
  std::atomic<bool> stop{false};
  std::thread spins([&] {
    while (!stop && Clock::now() < end) {
    }
  });
  spins.join();
  assert(Clock::now() >= end);
  timespec start;
  timespec now;
  assert(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start) == 0);
  do {
    assert(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
  } while (now.tv_sec < start.tv_sec + 60);
}

void spin_for_a_sleeper() {
  std::atomic<bool> done{false};
  const Clock::time_point start = Clock::now();
  std::thread spins([&] {
    while (!done) {
    }
    assert(Clock::now() - start >= 1h);
  });
  std::thread yields([&] {
    while (!done) std::this_thread::yield();
  });
  std::thread sleeps([&] {
    std::this_thread::sleep_for(1h);
    done = true;
  });
  spins.join();
  yields.join();
  sleeps.join();
}

void look_now_and_then() {
  std::atomic<int> step{0};
  std::thread polls([&] {
    while (step != 1) std::this_thread::sleep_for(1ms);
    step = 2;
  });
  std::thread spins([&] {
    while (step != 2) {
    }
    step = 3;
  });
  step = 1;
  while (step != 3) std::this_thread::sleep_for(1us);
  polls.join();
  spins.join();
}

// Gives up on its own account: that is no livelock.
void spin_so_many_times() {
  std::atomic<bool> flag{false};
  std::atomic<int> given_up{0};
  const auto wait_a_little = [&] {
    for (int i = 0; i < 2000 && !flag; ++i) {
    }
    ++given_up;
  };
  std::thread first(wait_a_little);
  std::thread second(wait_a_little);
  first.join();
  second.join();
  assert(given_up == 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  spin_for_a_day();
  spin_for_a_sleeper();
  look_now_and_then();
  spin_so_many_times();
  return 0;
}
