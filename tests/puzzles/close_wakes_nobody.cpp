// EXPECT: plain=deadlock tsan=deadlock|data-race asan=deadlock builds=plain,tsan,asan
// A descriptor is closed to stop the thread that reads from it. The thread keeps what it waits for, and sleeps on.
// Shows when the reader waits before the descriptor is closed.
// Least preemptions: 0 (the second thread goes first).
// Twin: close_wakes_nobody_fixed.cpp.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

struct Feed {
  Feed() { (void)!pipe(ends); }

  void follow() {
    char byte;
    while (read(ends[0], &byte, 1) == 1) {
    }
  }

  int ends[2] = {-1, -1};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Feed feed;
  std::thread stopper([&] { close(feed.ends[0]); });
  std::thread reader([&] { feed.follow(); });
  stopper.join();
  reader.join();
  close(feed.ends[1]);
  return 0;
}
