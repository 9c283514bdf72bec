// EXPECT: pass
// Twin of partial_deadlock.cpp. Both movers take the locks in the same order.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

constexpr int kTicks = 4;

struct Warehouse {
  void move_out() {
    const std::lock_guard hold_shelf(shelf);
    const std::lock_guard hold_truck(truck);
    ++moves;
  }

  void move_in() {
    const std::lock_guard hold_shelf(shelf);
    const std::lock_guard hold_truck(truck);
    ++moves;
  }

  void tick() {
    for (int i = 0; i < kTicks; ++i) {
      const std::lock_guard hold_clock(clock);
      ++ticks;
    }
  }

  std::mutex shelf;
  std::mutex truck;
  std::mutex clock;
  int moves = 0;
  int ticks = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Warehouse warehouse;
  std::thread out([&] { warehouse.move_out(); });
  std::thread in([&] { warehouse.move_in(); });
  std::thread ticker([&] { warehouse.tick(); });
  ticker.join();
  out.join();
  in.join();
  return 0;
}
