// EXPECT: pass
// PRIMITIVES: poll, ppoll
// A thread waits for one of several descriptors; the time-out is virtual.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

using Clock = std::chrono::steady_clock;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  int ends[2];
  assert(pipe(ends) == 0);
  const int stop = eventfd(0, 0);
  std::thread loop([&] {
    int got = 0;
    for (;;) {
      pollfd states[3] = {{ends[0], POLLIN, 0}, {stop, POLLIN, 0}, {-1, POLLIN, 0}};
      const int ready = poll(states, 3, -1);
      assert(ready >= 1 && ready <= 2 && states[2].revents == 0);
      char c;
      if (states[0].revents != 0) assert(states[0].revents == POLLIN && read(ends[0], &c, 1) == 1 && ++got <= 2);
      if (states[0].revents == 0 && states[1].revents != 0) break;
    }
    assert(got == 2);
  });
  for (int i = 0; i < 2; ++i) assert(write(ends[1], "x", 1) == 1);
  assert(eventfd_write(stop, 1) == 0);
  loop.join();

  pollfd state{ends[0], POLLIN, 0};
  assert(poll(&state, 1, 0) == 0);
  const Clock::time_point before = Clock::now();
  assert(poll(&state, 1, 60'000) == 0 && state.revents == 0);
  assert(Clock::now() - before >= std::chrono::minutes(1));
  assert(poll(nullptr, 0, 1000) == 0);
  const timespec day{86'400, 0};
  std::thread writer([&] { assert(write(ends[1], "y", 1) == 1); });
  const int ready = ppoll(&state, 1, &day, nullptr);
  assert(ready == 0 || (ready == 1 && state.revents == POLLIN));
  writer.join();
  const timespec none{};
  assert(ppoll(&state, 1, &none, nullptr) == 1);
  close(ends[1]);
  assert(poll(&state, 1, -1) == 1 && state.revents == (POLLIN | POLLHUP));
  close(ends[0]);
  close(stop);
  assert(poll(&state, 1, -1) == 1 && state.revents == POLLNVAL);
  return 0;
}
