// EXPECT: plain=deadlock tsan=deadlock|lock-order asan=deadlock builds=plain,tsan,asan
// A reader that finds something to repair upgrades: it takes the repair lock while it still reads, and then writes.
// A repairer that goes the straight way holds the repair lock and waits for the readers.
// Shows when the reader holds the lock for reading and the other thread takes the repair lock.
// Least preemptions: 1.
// Twin: rwlock_upgrade_fixed.cpp.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

struct Index {
  std::shared_mutex table;
  std::mutex repair;
  bool broken = true;

  void repair_now() {
    const std::lock_guard repairing(repair);
    const std::lock_guard writing(table);
    broken = false;
  }

  void look_up() {
    std::shared_lock reading(table);
    if (!broken) return;
    const std::lock_guard repairing(repair);
    reading.unlock();
    const std::lock_guard writing(table);
    broken = false;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Index index;
  std::thread repairer([&] { index.repair_now(); });
  std::thread reader([&] { index.look_up(); });
  repairer.join();
  reader.join();
  assert(!index.broken);
  return 0;
}
