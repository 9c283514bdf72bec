// EXPECT: lost-wakeup builds=plain,tsan,asan
// PRIMITIVES: futex
// The wake comes without a change: whoever waits later waits for ever.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::atomic<uint32_t> word{0};
  std::thread waiter([&] { syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr); });
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
  waiter.join();
  return 0;
}
