// EXPECT: pass
// PRIMITIVES: epoll_create1, epoll_ctl, epoll_wait, epoll_pwait, epoll_pwait2
// A loop of events, once with levels, once with edges, and with descriptors that answer one thread only.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

void loop_of_events(std::uint32_t how) {
  int ends[2];
  assert(pipe2(ends, O_NONBLOCK) == 0);
  const int stop = eventfd(0, EFD_NONBLOCK);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{EPOLLIN | how, {.fd = ends[0]}};
  assert(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
  event = {EPOLLIN, {.fd = stop}};
  assert(epoll_ctl(epoll, EPOLL_CTL_ADD, stop, &event) == 0);
  assert(epoll_ctl(epoll, EPOLL_CTL_ADD, stop, &event) == -1 && errno == EEXIST);
  std::thread loop([&] {
    int got = 0;
    bool stopped = false;
    while (!stopped || got < 3) {
      epoll_event events[2];
      const int ready = epoll_wait(epoll, events, 2, -1);
      assert(ready == 1 || ready == 2);
      for (int i = 0; i < ready; ++i) {
        if (events[i].data.fd == stop) {
          stopped = true;
          continue;
        }
        char c;
        while (read(ends[0], &c, 1) == 1) ++got;
        assert(errno == EAGAIN);
      }
    }
    assert(got == 3);
  });
  for (int i = 0; i < 3; ++i) assert(write(ends[1], "x", 1) == 1);
  assert(eventfd_write(stop, 1) == 0);
  loop.join();
  for (const int descriptor : {ends[0], ends[1], stop, epoll}) close(descriptor);
}

// One of two threads is told, and tells the next.
void one_shot() {
  const int counter = eventfd(0, EFD_NONBLOCK);
  const int epoll = epoll_create1(0);
  epoll_event event{EPOLLIN | EPOLLONESHOT, {.fd = counter}};
  assert(epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event) == 0);
  int handled = 0;  // only one of them at a time
  const auto worker = [&] {
    epoll_event got;
    assert(epoll_pwait(epoll, &got, 1, -1, nullptr) == 1);
    ++handled;
    epoll_event again{EPOLLIN | EPOLLONESHOT, {.fd = counter}};
    assert(epoll_ctl(epoll, EPOLL_CTL_MOD, counter, &again) == 0);
  };
  std::thread first(worker);
  std::thread second(worker);
  assert(eventfd_write(counter, 1) == 0);
  first.join();
  second.join();
  assert(handled == 2);
  close(counter);
  epoll_event none;
  assert(epoll_wait(epoll, &none, 0, -1) == -1 && errno == EINVAL);
  assert(epoll_wait(epoll, &none, 1, 0) == 0);
  assert(epoll_wait(epoll, &none, 1, 5000) == 0);
  const timespec day{86'400, 0};
  assert(epoll_pwait2(epoll, &none, 1, &day, nullptr) == 0);
  close(epoll);
  assert(epoll_wait(epoll, &none, 1, -1) == -1 && errno == EBADF);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  loop_of_events(0);
  loop_of_events(EPOLLET);
  one_shot();
  return 0;
}
