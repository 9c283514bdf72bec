// EXPECT: pass
// Twin of close_wakes_nobody.cpp: the other end is closed, which the reader hears of.

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
  std::thread stopper([&] { close(feed.ends[1]); });
  std::thread reader([&] { feed.follow(); });
  stopper.join();
  reader.join();
  close(feed.ends[0]);
  return 0;
}
