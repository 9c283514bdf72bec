// EXPECT: livelock builds=plain,tsan,asan
// A thread clears the flag that it is about to wait for, and spins on it.
// Shows when the other thread has raised the flag before: nobody raises it a second time.
// Least preemptions: 0.
// Twin: erased_flag_fixed.cpp.

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
    full.store(false, std::memory_order_relaxed);
    while (!full.load(std::memory_order_acquire)) {
    }
    return letter;
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
