// EXPECT: pass
// Twin of crossed_pipes.cpp: one atomic step decides who speaks first.

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

struct Line {
  Line() { (void)!pipe(ends); }
  ~Line() {
    close(ends[0]);
    close(ends[1]);
  }
  void say() { (void)!write(ends[1], "x", 1); }
  void hear() {
    char byte;
    (void)!read(ends[0], &byte, 1);
  }
  int ends[2] = {-1, -1};
};

struct Talk {
  void join_in(int me) {
    const bool first = !taken.exchange(true);
    if (first) lines[me].say();
    lines[1 - me].hear();
    if (!first) lines[me].say();
  }

  Line lines[2];
  std::atomic<bool> taken = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Talk talk;
  std::thread left([&] { talk.join_in(0); });
  std::thread right([&] { talk.join_in(1); });
  left.join();
  right.join();
  return 0;
}
