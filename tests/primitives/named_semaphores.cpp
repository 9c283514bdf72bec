// EXPECT: pass
// PRIMITIVES: sem_open, sem_close, sem_unlink
// A named semaphore is the same one wherever it is opened, until it is unlinked.
#include <fcntl.h>
#include <semaphore.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  char name[64];
  std::snprintf(name, sizeof name, "/weavefuzz-test-%d", static_cast<int>(getpid()));
  sem_unlink(name);
  assert(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
  sem_t* const own = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  assert(own != SEM_FAILED);
  assert(sem_open(name, O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED && errno == EEXIST);
  int value = 0;
  std::thread waiter([&] {
    sem_t* const opened = sem_open(name, 0);
    assert(opened != SEM_FAILED);
    assert(sem_wait(opened) == 0);
    assert(value == 1);
    assert(sem_close(opened) == 0);
  });
  value = 1;
  assert(sem_post(own) == 0);
  waiter.join();
  int count = -1;
  assert(sem_getvalue(own, &count) == 0 && count == 0);
  assert(sem_close(own) == 0);
  assert(sem_unlink(name) == 0);
  return 0;
}
