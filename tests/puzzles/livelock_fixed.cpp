// EXPECT: pass
// Twin of livelock.cpp. A diner gives way once.

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

constexpr std::size_t kNobody = 2;

struct Table {
  void dine(std::size_t me) {
    const std::size_t other = 1 - me;
    bool polite = true;
    {
      const std::lock_guard lock(mutex);
      hungry[me] = true;
    }
    while (true) {
      std::unique_lock lock(mutex);
      passed.wait(lock, [&] { return spoon == me || spoon == kNobody; });
      if (polite && hungry[other]) {
        spoon = other;
        polite = false;
        passed.notify_all();
        continue;
      }
      hungry[me] = false;
      spoon = kNobody;
      passed.notify_all();
      return;
    }
  }

  std::mutex mutex;
  std::condition_variable passed;
  std::array<bool, 2> hungry{};
  std::size_t spoon = kNobody;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Table table;
  std::thread first([&] { table.dine(0); });
  std::thread second([&] { table.dine(1); });
  first.join();
  second.join();
  return 0;
}
