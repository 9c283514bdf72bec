// EXPECT: pass
// PRIMITIVES: timerfd_create, timerfd_settime, timerfd_gettime
// Timers ring in virtual time: read, polled, by epoll, again and again, and set while somebody waits.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

std::uint64_t rings(int timer) {
  std::uint64_t times = 0;
  assert(read(timer, &times, sizeof times) == sizeof times);
  return times;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  assert(timer >= 0);
  const Clock::time_point start = Clock::now();
  itimerspec setting{{}, {3600, 0}};
  itimerspec left{};
  assert(timerfd_settime(timer, 0, &setting, nullptr) == 0);
  assert(timerfd_gettime(timer, &left) == 0 && left.it_value.tv_sec <= 3600);
  assert(left.it_value.tv_sec >= 3599);
  assert(rings(timer) == 1 && Clock::now() - start >= 1h);
  assert(timerfd_gettime(timer, &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);

  // Every minute, of which some pass unread.
  setting = {{60, 0}, {60, 0}};
  assert(timerfd_settime(timer, 0, &setting, nullptr) == 0);
  assert(rings(timer) == 1);
  std::this_thread::sleep_for(150s);
  assert(rings(timer) == 2);
  pollfd state{timer, POLLIN, 0};
  assert(poll(&state, 1, 1'000) == 0);
  assert(poll(&state, 1, 60'000) == 1 && rings(timer) == 1);

  // Set by another thread, at a moment, while this one waits.
  setting = {};
  assert(timerfd_settime(timer, 0, &setting, nullptr) == 0);
  const int epoll = epoll_create1(0);
  epoll_event event{EPOLLIN, {.fd = timer}};
  assert(epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) == 0);
  assert(epoll_wait(epoll, &event, 1, 10) == 0);
  std::thread setter([&] {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const itimerspec moment{{}, {now.tv_sec + 10, now.tv_nsec}};
    assert(timerfd_settime(timer, TFD_TIMER_ABSTIME, &moment, nullptr) == 0);
  });
  const Clock::time_point before = Clock::now();
  assert(epoll_wait(epoll, &event, 1, -1) == 1 && rings(timer) == 1);
  assert(Clock::now() - before >= 9s);
  setter.join();
  setting = {{}, {0, -1}};
  assert(timerfd_settime(timer, 0, &setting, nullptr) == -1 && errno == EINVAL);
  close(epoll);
  close(timer);
  return 0;
}
