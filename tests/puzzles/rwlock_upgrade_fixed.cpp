// EXPECT: pass
// Twin of rwlock_upgrade.cpp. The reader lets go before it takes the repair lock.

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
    reading.unlock();
    const std::lock_guard repairing(repair);
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
