// EXPECT: pass
// Twin of erased_flag.cpp. The flag is cleared when the letter has been taken, not before.

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

struct Mailbox {
  std::atomic<bool> full{false};
  int letter = 0;

  void put(int value) {
    letter = value;
    full.store(true, std::memory_order_release);
  }

  int take() {
    while (!full.load(std::memory_order_acquire)) {
    }
    const int value = letter;
    full.store(false, std::memory_order_release);
    return value;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Mailbox mailbox;
  std::thread reader([&] { assert(mailbox.take() == 7); });
  std::thread writer([&] { mailbox.put(7); });
  reader.join();
  writer.join();
  return 0;
}
