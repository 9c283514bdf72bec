// EXPECT: pass
// PRIMITIVES: flock, lockf, fcntl(F_SETLKW)
// Locks of flock exclude threads that opened a file each for themselves.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  const int file = memfd_create("lock", 0);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  std::atomic<int> inside{0};
  const auto enter = [&] {
    const int mine = open(path, O_RDWR);
    assert(mine >= 0 && flock(mine, LOCK_EX) == 0);
    assert(inside.fetch_add(1) == 0);
    inside.fetch_sub(1);
    assert(flock(mine, LOCK_UN) == 0);
    assert(flock(mine, LOCK_SH) == 0);
    close(mine);  // releases it
  };
  std::thread first(enter);
  std::thread second(enter);
  first.join();
  second.join();
  const int other = open(path, O_RDWR);
  assert(flock(file, LOCK_EX) == 0);
  assert(flock(other, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK);
  assert(flock(file, LOCK_UN) == 0 && flock(other, LOCK_SH | LOCK_NB) == 0);
  assert(lockf(file, F_LOCK, 1) == 0 && lockf(file, F_ULOCK, 1) == 0);
  struct flock range{};
  range.l_type = F_WRLCK;
  assert(fcntl(file, F_SETLKW, &range) == 0);
  close(other);
  close(file);
  return 0;
}
