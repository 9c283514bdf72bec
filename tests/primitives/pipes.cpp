// EXPECT: pass
// PRIMITIVES: pipe, pipe2, read, write, readv, writev, dup, dup2, close
// Bytes come in the order in which they were written, a reader waits for them and a writer for room, the end comes when
// every writer has closed, and a small write is never torn.
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

void order_and_end() {
  int ends[2];
  assert(pipe(ends) == 0);
  int value = 0;
  std::thread writer([&] {
    value = 42;  // the bytes hand it over
    for (char c = 'a'; c <= 'e'; ++c) assert(write(ends[1], &c, 1) == 1);
    assert(close(ends[1]) == 0);
  });
  char text[6] = {};
  std::size_t got = 0;
  for (;;) {
    const ssize_t size = read(ends[0], text + got, 2);
    assert(size >= 0 && size <= 2);
    if (size == 0) break;
    assert(value == 42);
    got += static_cast<std::size_t>(size);
  }
  assert(std::strcmp(text, "abcde") == 0);
  writer.join();
  assert(close(ends[0]) == 0);
}

// More than a pipe holds.
void full_pipe() {
  int ends[2];
  assert(pipe2(ends, O_CLOEXEC) == 0);
  const int capacity = fcntl(ends[1], F_SETPIPE_SZ, 4096);
  const std::size_t size = static_cast<std::size_t>(capacity) * 2 + 100;
  std::thread writer([&] {
    std::vector<char> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i % 251);
    iovec parts[3] = {{bytes.data(), 1000}, {nullptr, 0}, {bytes.data() + 1000, size - 1000}};
    assert(writev(ends[1], parts, 3) == static_cast<ssize_t>(size));
    close(ends[1]);
  });
  std::size_t got = 0;
  char some[3000];
  iovec parts[2] = {{some, 10}, {some + 10, sizeof some - 10}};
  for (;;) {
    const ssize_t part = readv(ends[0], parts, 2);
    assert(part >= 0);
    if (part == 0) break;
    for (ssize_t i = 0; i < part; ++i) assert(some[i] == static_cast<char>((got + static_cast<std::size_t>(i)) % 251));
    got += static_cast<std::size_t>(part);
  }
  assert(got == size);
  writer.join();
  close(ends[0]);
}

// A thread alone may fill a pipe to the last byte.
void filled_byte_by_byte() {
  int ends[2];
  assert(pipe(ends) == 0);
  const int capacity = fcntl(ends[1], F_SETPIPE_SZ, 4096);
  const std::vector<char> most(4050);
  assert(write(ends[1], most.data(), most.size()) == 4050);
  for (int i = 4050; i < capacity; ++i) assert(write(ends[1], "x", 1) == 1);
  std::thread reader([&] {
    char bytes[4096];
    assert(read(ends[0], bytes, sizeof bytes) == 4096);
  });
  assert(write(ends[1], "y", 1) == 1);
  reader.join();
  close(ends[0]);
  close(ends[1]);
}

void whole_messages() {
  int ends[2];
  assert(pipe(ends) == 0);
  const auto say = [&](char c) {
    char message[100];
    std::memset(message, c, sizeof message);
    for (int i = 0; i < 2; ++i) assert(write(ends[1], message, sizeof message) == sizeof message);
  };
  std::thread first(say, 'a');
  std::thread second(say, 'b');
  for (int i = 0; i < 4; ++i) {
    char message[100];
    assert(read(ends[0], message, sizeof message) == sizeof message);
    for (const char c : message) assert(c == message[0]);
  }
  first.join();
  second.join();
  close(ends[0]);
  close(ends[1]);
}

// The end comes when the last copy is closed.
void copies() {
  int ends[2];
  assert(pipe(ends) == 0);
  const int copy = dup(ends[1]);
  const int other = fcntl(ends[1], F_DUPFD, 100);
  assert(other >= 100 && dup2(copy, other) == other);
  std::thread writer([&] {
    assert(write(other, "z", 1) == 1);
    close(copy);
    close(other);
  });
  close(ends[1]);
  char c[2];
  assert(read(ends[0], c, 2) == 1 && c[0] == 'z');
  assert(read(ends[0], c, 2) == 0);
  writer.join();
  close(ends[0]);
}

void errors() {
  char c = 0;
  errno = 0;
  assert(read(-1, &c, 1) == -1 && errno == EBADF);
  assert(write(-1, &c, 1) == -1 && errno == EBADF);
  assert(close(-1) == -1 && errno == EBADF);
  int ends[2];
  assert(pipe(ends) == 0);
  assert(read(ends[1], &c, 1) == -1 && errno == EBADF);
  assert(write(ends[0], &c, 1) == -1 && errno == EBADF);
  assert(read(ends[0], &c, 0) == 0);
  close(ends[0]);
  assert(write(ends[1], &c, 1) == -1 && errno == EPIPE);
  close(ends[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  signal(SIGPIPE, SIG_IGN);
  order_and_end();
  full_pipe();
  filled_byte_by_byte();
  whole_messages();
  copies();
  errors();
  return 0;
}
