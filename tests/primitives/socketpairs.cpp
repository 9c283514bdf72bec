// EXPECT: pass
// PRIMITIVES: socketpair, send, recv, sendto, recvfrom, sendmsg, recvmsg, sendmmsg, recvmmsg, shutdown
// Both directions, whole messages, descriptors in messages, time-outs of sockets.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

void question_and_answer() {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  std::thread server([&] {
    int question = 0;
    while (recv(ends[1], &question, sizeof question, MSG_WAITALL) == sizeof question) {
      const int answer = question * 2;
      assert(send(ends[1], &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer);
    }
    assert(shutdown(ends[1], SHUT_WR) == 0);
  });
  for (int i = 0; i < 3; ++i) {
    assert(send(ends[0], &i, sizeof i, 0) == sizeof i);
    int answer = -1;
    assert(read(ends[0], &answer, sizeof answer) == sizeof answer && answer == 2 * i);
  }
  assert(shutdown(ends[0], SHUT_WR) == 0);
  char c;
  assert(recv(ends[0], &c, 1, 0) == 0);
  server.join();
  close(ends[0]);
  close(ends[1]);
}

// Byte by byte, and taken as one.
void wait_for_all() {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  std::thread sender([&] {
    for (const char* c = "whole"; *c != '\0'; ++c) assert(write(ends[0], c, 1) == 1);
  });
  char text[6] = {};
  assert(recv(ends[1], text, 5, MSG_WAITALL) == 5 && std::strcmp(text, "whole") == 0);
  sender.join();
  assert(recv(ends[1], text, 5, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  close(ends[0]);
  assert(recv(ends[1], text, 5, MSG_WAITALL) == 0);
  close(ends[1]);
}

// More than the buffers hold, in parts of one message.
void much() {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const int small = 4096;
  assert(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
  constexpr std::size_t kSize = 20'000;
  std::thread sender([&] {
    std::vector<char> bytes(kSize);
    for (std::size_t i = 0; i < kSize; ++i) bytes[i] = static_cast<char>(i % 253);
    iovec parts[2] = {{bytes.data(), 5000}, {bytes.data() + 5000, kSize - 5000}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    assert(sendmsg(ends[0], &message, 0) == kSize);
    close(ends[0]);
  });
  std::size_t got = 0;
  char some[4096];
  while (const ssize_t size = recv(ends[1], some, sizeof some, 0)) {
    assert(size > 0);
    for (ssize_t i = 0; i < size; ++i) assert(some[i] == static_cast<char>((got + static_cast<std::size_t>(i)) % 253));
    got += static_cast<std::size_t>(size);
  }
  assert(got == kSize);
  sender.join();
  close(ends[1]);
}

void messages() {
  for (const int type : {SOCK_SEQPACKET, SOCK_DGRAM}) {
    int ends[2];
    assert(socketpair(AF_UNIX, type, 0, ends) == 0);
    std::thread sender([&] {
      assert(sendto(ends[0], "one", 3, 0, nullptr, 0) == 3);
      char two[] = "two!";
      char three[] = "three";
      iovec parts[2] = {{two, 4}, {three, 5}};
      mmsghdr both[2] = {};
      for (int i = 0; i < 2; ++i) {
        both[i].msg_hdr.msg_iov = &parts[i];
        both[i].msg_hdr.msg_iovlen = 1;
      }
      assert(sendmmsg(ends[0], both, 2, 0) == 2 && both[1].msg_len == 5);
    });
    char text[16];
    assert(recvfrom(ends[1], text, sizeof text, 0, nullptr, nullptr) == 3);
    char texts[2][16];
    iovec parts[2] = {{texts[0], 16}, {texts[1], 16}};
    mmsghdr both[2] = {};
    for (int i = 0; i < 2; ++i) {
      both[i].msg_hdr.msg_iov = &parts[i];
      both[i].msg_hdr.msg_iovlen = 1;
    }
    assert(recvmmsg(ends[1], both, 2, 0, nullptr) == 2);
    assert(both[0].msg_len == 4 && both[1].msg_len == 5 && std::memcmp(texts[1], "three", 5) == 0);
    sender.join();
    close(ends[0]);
    close(ends[1]);
  }
}

// A pipe goes through a socket, and is the same pipe.
void handed_over() {
  int ends[2];
  int sockets[2];
  assert(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  char control[CMSG_SPACE(sizeof(int))] = {};
  char byte = 'x';
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &ends[0], sizeof(int));
  assert(sendmsg(sockets[0], &message, 0) == 1);
  std::thread reader([&] {
    char room[CMSG_SPACE(sizeof(int))] = {};
    char got = 0;
    iovec into{&got, 1};
    msghdr received{};
    received.msg_iov = &into;
    received.msg_iovlen = 1;
    received.msg_control = room;
    received.msg_controllen = sizeof room;
    assert(recvmsg(sockets[1], &received, 0) == 1);
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&received)), sizeof(int));
    assert(read(descriptor, &got, 1) == 1 && got == 'p');
    close(descriptor);
  });
  assert(write(ends[1], "p", 1) == 1);
  reader.join();
  for (const int end : {ends[0], ends[1], sockets[0], sockets[1]}) close(end);
}

void time_outs() {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const timeval hour{3600, 0};
  assert(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &hour, sizeof hour) == 0);
  const auto before = std::chrono::steady_clock::now();
  char c;
  assert(recv(ends[0], &c, 1, 0) == -1 && errno == EAGAIN);
  assert(std::chrono::steady_clock::now() - before >= std::chrono::hours(1));
  std::thread sender([&] { assert(send(ends[1], "c", 1, 0) == 1); });
  const ssize_t size = recv(ends[0], &c, 1, 0);  // the time may be up first
  assert(size == 1 || (size == -1 && errno == EAGAIN));
  sender.join();
  close(ends[0]);
  close(ends[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  question_and_answer();
  wait_for_all();
  much();
  messages();
  handed_over();
  time_outs();
  return 0;
}
