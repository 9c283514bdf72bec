// EXPECT: pass
// PRIMITIVES: read, write, pread, pwrite, preadv, pwritev, printf, fstream
// Files never wait; the standard streams and std::fstream go on as ever.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  const int file = memfd_create("test", 0);
  assert(file >= 0);
  const auto fill = [&](int at, char c) {
    char bytes[4] = {c, c, c, c};
    for (int i = 0; i < 4; ++i) assert(pwrite(file, bytes + i, 1, at + i) == 1);
    iovec part{bytes, 4};
    assert(preadv(file, &part, 1, at) == 4);
    for (const char byte : bytes) assert(byte == c);
  };
  std::thread first(fill, 0, 'a');
  std::thread second(fill, 4, 'b');
  first.join();
  second.join();
  char text[9] = {};
  assert(lseek(file, 0, SEEK_SET) == 0);
  assert(read(file, text, 8) == 8 && std::strcmp(text, "aaaabbbb") == 0 && read(file, text, 8) == 0);

  // Appended lines are whole, in some order.
  const int log = memfd_create("log", 0);
  const auto append = [&](const char* line) { assert(write(log, line, 2) == 2); };
  std::thread third(append, "1\n");
  std::thread fourth(append, "2\n");
  third.join();
  fourth.join();
  char lines[8] = {};
  iovec part{lines, sizeof lines - 1};
  assert(preadv(log, &part, 1, 0) == 4);
  assert(std::strcmp(lines, "1\n2\n") == 0 || std::strcmp(lines, "2\n1\n") == 0);

  std::mutex mutex;
  const auto say = [&] {
    const std::lock_guard lock(mutex);
    std::fputs("", stdout);
    std::fprintf(stderr, "%s", "");
    assert(write(STDOUT_FILENO, "", 0) == 0);
    std::ofstream out("/dev/null");
    out << "text" << std::endl;
    std::ifstream in("/proc/self/comm");
    std::string word;
    assert(in >> word);
  };
  std::thread fifth(say);
  std::thread sixth(say);
  fifth.join();
  sixth.join();
  close(file);
  close(log);
  return 0;
}
