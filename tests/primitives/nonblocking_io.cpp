// EXPECT: pass
// PRIMITIVES: read, write, send, recv, fcntl
// Calls that do not wait say so at once, and loops around them let the others go on.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

template <class Pause>
void spin(Pause pause) {
  int ends[2];
  assert(pipe2(ends, O_NONBLOCK) == 0);
  char c = 0;
  assert(read(ends[0], &c, 1) == -1 && errno == EAGAIN);
  std::thread reader([&] {
    for (int got = 0; got < 3;) {
      const ssize_t size = read(ends[0], &c, 1);
      if (size == 1) {
        assert(c == 'a' + got++);
        continue;
      }
      assert(size == -1 && errno == EAGAIN);
      pause(ends[0]);
    }
    assert(read(ends[0], &c, 1) == -1 && errno == EAGAIN);
  });
  for (char next = 'a'; next <= 'c'; ++next) assert(write(ends[1], &next, 1) == 1);
  reader.join();
  close(ends[1]);
  assert(read(ends[0], &c, 1) == 0);
  close(ends[0]);
}

// Both ends at once, as much as goes in.
void full() {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  const int small = 4096;
  assert(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
  constexpr int kSize = 30'000;
  std::thread writer([&] {
    static const char bytes[1000] = {};
    for (int left = kSize; left > 0;) {
      const ssize_t size = send(ends[0], bytes, sizeof bytes, 0);
      if (size > 0) {
        left -= static_cast<int>(size);
        continue;
      }
      assert(errno == EAGAIN);
      pollfd state{ends[0], POLLOUT, 0};
      assert(poll(&state, 1, -1) == 1);
    }
  });
  for (int left = kSize; left > 0;) {
    char bytes[1500];
    const ssize_t size = recv(ends[1], bytes, sizeof bytes, 0);
    if (size > 0) left -= static_cast<int>(size);
    if (size < 0) assert(errno == EAGAIN);
  }
  writer.join();
  int off = 0;
  assert(ioctl(ends[1], FIONBIO, &off) == 0);
  char c;
  assert(recv(ends[1], &c, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  close(ends[0]);
  assert(recv(ends[1], &c, 1, 0) == 0);
  close(ends[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  spin([](int) {});
  spin([](int) { sched_yield(); });
  spin([](int end) {
    pollfd state{end, POLLIN, 0};
    assert(poll(&state, 1, -1) == 1);
  });
  full();
  return 0;
}
