// EXPECT: pass
// PRIMITIVES: stack of a thread
// A thread may use four megabytes of its stack, and a switch in the depth finds its way back.
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>

namespace {

std::atomic<int> deepest{0};

[[gnu::noinline]] int descend(int levels) {
  volatile char frame[4096];
  std::memset(const_cast<char*>(frame), levels & 0x7F, sizeof frame);
  if (levels == 0) {
    ++deepest;
    ++deepest;
  }
  const int below = levels == 0 ? 0 : descend(levels - 1);
  assert(frame[17] == (levels & 0x7F));
  return below + 1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  deepest = 0;
  int reached[2] = {};
  std::thread first([&] { reached[0] = descend(900); });
  std::thread second([&] { reached[1] = descend(900); });
  first.join();
  second.join();
  assert(reached[0] == 901 && reached[1] == 901 && deepest == 4);
  return 0;
}
