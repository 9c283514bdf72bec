// EXPECT: pass
// PRIMITIVES: pthread_sigmask, sigpending, SIGPIPE
// A thread that blocks the signal of a broken pipe gets the error alone, and has the signal pending. To the others it
// is blocked or not as they say.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

void write_to_broken_pipe() {
  int ends[2];
  assert(pipe(ends) == 0);
  close(ends[0]);
  assert(write(ends[1], "x", 1) == -1 && errno == EPIPE);
  close(ends[1]);
}

bool is_pending() {
  sigset_t set;
  return sigpending(&set) == 0 && sigismember(&set, SIGPIPE) == 1;
}

void block_and_write() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  assert(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  assert(!is_pending());
  write_to_broken_pipe();
  assert(is_pending());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::thread first(block_and_write);
  std::thread second(block_and_write);
  first.join();
  second.join();
  assert(!is_pending());
  return 0;
}
