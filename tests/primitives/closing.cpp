// EXPECT: pass
// PRIMITIVES: close, shutdown, poll, select, read
// The end of a pipe, socket or connection is news like any other: who hears of it sees all that came before.
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

template <class End, class Hear>
void hand_over(int ends[2], End end, Hear hear) {
  int value = 0;
  std::thread closer([&] {
    value = 1;
    end(ends[1]);
  });
  hear(ends[0]);
  assert(value == 1);
  closer.join();
}

void close_end(int end) { assert(close(end) == 0); }
void shut_end(int end) { assert(shutdown(end, SHUT_WR) == 0); }

void read_end(int end) {
  char c;
  assert(read(end, &c, 1) == 0);
}

void poll_end(int end) {
  pollfd state{end, POLLIN, 0};
  assert(poll(&state, 1, -1) == 1 && state.revents != 0);
}

void select_end(int end) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(end, &set);
  assert(select(end + 1, &set, nullptr, nullptr, nullptr) == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  for (const auto hear : {read_end, poll_end, select_end}) {
    int ends[2];
    assert(pipe(ends) == 0);
    hand_over(ends, close_end, hear);
    close(ends[0]);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    hand_over(ends, shut_end, hear);
    close(ends[0]);
    close(ends[1]);
  }
  return 0;
}
