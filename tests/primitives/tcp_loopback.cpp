// EXPECT: pass
// PRIMITIVES: socket, listen, accept, accept4, connect, shutdown, recv, send
// Connections over TCP on the loopback: what was sent is what is received, however the kernel cuts it up.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <thread>
#include <vector>

namespace {

int listen_somewhere(sockaddr_in& address, int backlog) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  assert(listener >= 0);
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  assert(listen(listener, backlog) == 0);
  socklen_t length = sizeof address;
  assert(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  return listener;
}

int connect_to(const sockaddr_in& address) {
  const int socket_ = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return socket_;
}

void echo() {
  sockaddr_in address;
  const int listener = listen_somewhere(address, 1);
  std::thread server([&] {
    for (int i = 0; i < 2; ++i) {
      const int peer = i == 0 ? accept(listener, nullptr, nullptr) : accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      assert(peer >= 0);
      char text[16];
      ssize_t size;
      while ((size = recv(peer, text, sizeof text, 0)) > 0)
        assert(send(peer, text, static_cast<size_t>(size), 0) == size);
      assert(size == 0);
      close(peer);
    }
  });
  const auto talk = [&](char c) {
    const int peer = connect_to(address);
    const char text[4] = {c, c, c, c};
    for (int i = 0; i < 2; ++i) assert(send(peer, text + 2 * i, 2, 0) == 2);
    assert(shutdown(peer, SHUT_WR) == 0);
    char answer[8];
    assert(recv(peer, answer, 4, MSG_WAITALL) == 4 && std::memcmp(answer, text, 4) == 0);
    assert(recv(peer, answer, 4, 0) == 0);
    close(peer);
  };
  std::thread first(talk, 'a');
  std::thread second(talk, 'b');
  first.join();
  second.join();
  server.join();
  close(listener);
}

// Sent in three parts, received as one if nobody received before.
void cut_up() {
  sockaddr_in address;
  const int listener = listen_somewhere(address, 1);
  const int here = connect_to(address);
  const int there = accept(listener, nullptr, nullptr);
  for (int i = 0; i < 3; ++i) assert(write(here, "abc", 3) == 3);
  char text[16];
  assert(read(there, text, sizeof text) == 9);
  close(here);
  assert(read(there, text, sizeof text) == 0);
  close(there);
  close(listener);
}

// More small parts than the kernel sends before it hears of their arrival; more at once than its window holds.
void much() {
  sockaddr_in address;
  const int listener = listen_somewhere(address, 1);
  const int here = connect_to(address);
  const int there = accept(listener, nullptr, nullptr);
  char text[64];
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) assert(send(here, "ab", 2, 0) == 2);
    assert(recv(there, text, sizeof text, MSG_PEEK) == 20 && recv(there, text, sizeof text, 0) == 20);
    for (int i = 0; i < 10; ++i) assert(send(there, "ab", 2, 0) == 2);
    assert(recv(here, text, 7, 0) == 7 && recv(here, text, sizeof text, MSG_DONTWAIT) == 13);
    assert(recv(here, text, sizeof text, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  }
  std::vector<char> bytes(300'000);
  assert(send(here, bytes.data(), bytes.size(), 0) == 300'000);
  assert(recv(there, bytes.data(), bytes.size(), 0) == 300'000);
  // Closed with a byte unread, a connection is reset.
  assert(send(here, "x", 1, 0) == 1);
  close(there);
  assert(recv(here, text, 1, 0) == -1 && errno == ECONNRESET);
  assert(send(here, "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
  close(here);
  close(listener);
}

void without_waiting() {
  sockaddr_in address;
  const int listener = listen_somewhere(address, 1);
  assert(fcntl(listener, F_SETFL, O_NONBLOCK) == 0);
  assert(accept(listener, nullptr, nullptr) == -1 && errno == EAGAIN);
  std::thread client([&] {
    const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    const int result = connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    assert(result == 0 || errno == EINPROGRESS);
    pollfd state{socket_, POLLOUT, 0};
    assert(poll(&state, 1, -1) == 1 && state.revents == POLLOUT);
    assert(send(socket_, "hello", 5, 0) == 5);
    close(socket_);
  });
  pollfd state{listener, POLLIN, 0};
  assert(poll(&state, 1, -1) == 1);
  const int peer = accept(listener, nullptr, nullptr);
  assert(peer >= 0);
  char text[16];
  assert(recv(peer, text, sizeof text, 0) == 5);
  assert(recv(peer, text, sizeof text, 0) == 0);
  client.join();
  close(peer);
  close(listener);
}

void refused() {
  sockaddr_in address;
  close(listen_somewhere(address, 1));
  const int socket_ = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == -1 && errno == ECONNREFUSED);
  close(socket_);
}

}  // namespace

// One of them in a run: the kernel keeps a closed connection for a minute, and is slow when it has many.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t size) {
  constexpr void (*kAll[])() = {echo, cut_up, much, without_waiting, refused};
  kAll[size % std::size(kAll)]();
  return 0;
}
