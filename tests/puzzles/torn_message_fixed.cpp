// EXPECT: pass
// Twin of torn_message.cpp: header and body go out under one lock.

#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Link {
  Link() { (void)!socketpair(AF_UNIX, SOCK_STREAM, 0, ends); }
  ~Link() {
    close(ends[0]);
    close(ends[1]);
  }

  void send_message(char kind) {
    const char header[2] = {'#', kind};
    const char body[2] = {kind, kind};
    const std::lock_guard lock(mutex);
    (void)!write(ends[0], header, sizeof header);
    (void)!write(ends[0], body, sizeof body);
  }

  void receive_message() {
    char message[4];
    if (recv(ends[1], message, sizeof message, MSG_WAITALL) != sizeof message) return;
    assert(message[0] == '#' && message[2] == message[1] && message[3] == message[1]);
  }

  std::mutex mutex;
  int ends[2] = {-1, -1};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Link link;
  std::thread first([&] { link.send_message('a'); });
  std::thread second([&] { link.send_message('b'); });
  link.receive_message();
  link.receive_message();
  first.join();
  second.join();
  return 0;
}
