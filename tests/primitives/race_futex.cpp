// EXPECT: data-race builds=tsan
// PRIMITIVES: futex
// A futex call orders nothing by itself.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::atomic<uint32_t> word{0};
  int value = 0;
  std::thread waiter([&] {
    while (word.load(std::memory_order_relaxed) == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr);
    ++value;
  });
  value = 1;
  word.store(1, std::memory_order_relaxed);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
  waiter.join();
  return 0;
}
