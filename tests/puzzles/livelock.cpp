// EXPECT: livelock builds=plain,tsan,asan
// Two diners and one spoon; whoever gets it hands it to the other if the other is hungry too.
// Shows when both are hungry before either has eaten: the spoon goes to and fro for ever. Each
// waits properly for the spoon, so no schedule, however fair, gets out of it, and no thread ever
// spins.
// Least preemptions: 1.
// Twin: livelock_fixed.cpp.

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
