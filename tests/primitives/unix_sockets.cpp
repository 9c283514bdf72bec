// EXPECT: pass
// PRIMITIVES: socket, listen, accept, connect, sendto, recvfrom
// Unix sockets with names: connections, a full queue of those who want to be accepted, datagrams.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace {

// In the abstract namespace, which leaves no file behind.
socklen_t name_address(sockaddr_un& address, const char* name) {
  address = {};
  address.sun_family = AF_UNIX;
  return static_cast<socklen_t>(
      offsetof(sockaddr_un, sun_path) + 1 +
      static_cast<size_t>(std::snprintf(address.sun_path + 1, 64, "weavefuzz-%d-%s", getpid(), name)));
}

void connections() {
  sockaddr_un address;
  const socklen_t length = name_address(address, "stream");
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(bind(listener, reinterpret_cast<sockaddr*>(&address), length) == 0 && listen(listener, 0) == 0);
  const auto client = [&](char c) {
    const int peer = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(connect(peer, reinterpret_cast<const sockaddr*>(&address), length) == 0);
    assert(write(peer, &c, 1) == 1);
    char answer = 0;
    assert(read(peer, &answer, 1) == 1 && answer == c);
    close(peer);
  };
  std::thread first(client, 'a');
  std::thread second(client, 'b');
  std::thread third(client, 'c');
  for (int i = 0; i < 3; ++i) {
    const int peer = accept(listener, nullptr, nullptr);
    assert(peer >= 0);
    char c = 0;
    assert(read(peer, &c, 1) == 1 && write(peer, &c, 1) == 1);
    assert(read(peer, &c, 1) == 0);
    close(peer);
  }
  first.join();
  second.join();
  third.join();
  close(listener);
  const int late = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(connect(late, reinterpret_cast<const sockaddr*>(&address), length) == -1 && errno == ECONNREFUSED);
  close(late);
}

void datagrams() {
  sockaddr_un address;
  const socklen_t length = name_address(address, "datagrams");
  const int receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
  assert(bind(receiver, reinterpret_cast<sockaddr*>(&address), length) == 0);
  std::thread sender([&] {
    const int socket_ = socket(AF_UNIX, SOCK_DGRAM, 0);
    for (int i = 0; i < 3; ++i)
      assert(sendto(socket_, &i, sizeof i, 0, reinterpret_cast<const sockaddr*>(&address), length) == sizeof i);
    close(socket_);
  });
  for (int i = 0; i < 3; ++i) {
    int got = -1;
    assert(recvfrom(receiver, &got, sizeof got, 0, nullptr, nullptr) == sizeof got && got == i);
  }
  sender.join();
  close(receiver);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  connections();
  datagrams();
  return 0;
}
