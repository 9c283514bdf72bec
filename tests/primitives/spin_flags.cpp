// EXPECT: pass
// PRIMITIVES: std::atomic, std::atomic_flag, sched_yield, std::this_thread::yield, __builtin_ia32_pause
// A flag, waited for in every way that does not block, by threads that were there before there was anything to see.
#include <sched.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

void pause_instruction() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

void pause_assembly() {
#if defined(__x86_64__)
  asm volatile("pause" ::: "memory");
#else
  asm volatile("yield" ::: "memory");
#endif
}

struct Gate {
  std::atomic<int> open{0};
  std::atomic_flag lit = ATOMIC_FLAG_INIT;
  int value = 0;
};

void wait_bare(Gate& gate) {
  while (gate.open.load(std::memory_order_acquire) == 0) {
  }
}

void wait_with_fence(Gate& gate) {
  while (gate.open.load(std::memory_order_relaxed) == 0) std::atomic_thread_fence(std::memory_order_seq_cst);
  gate.open.load(std::memory_order_acquire);
}

void wait_with_pause(Gate& gate) {
  while (!gate.lit.test(std::memory_order_acquire)) pause_instruction();
}

void wait_with_back_off(Gate& gate) {
  for (int pauses = 1; gate.open.load(std::memory_order_acquire) == 0; pauses = pauses < 64 ? 2 * pauses : pauses)
    for (int i = 0; i < pauses; ++i) pause_assembly();
}

void wait_with_yield(Gate& gate) {
  while (gate.open.load(std::memory_order_acquire) == 0) sched_yield();
  while (!gate.lit.test(std::memory_order_acquire)) std::this_thread::yield();
}

void wait_without_sleep(Gate& gate) {
  while (gate.open.load(std::memory_order_acquire) == 0) std::this_thread::sleep_for(std::chrono::seconds(0));
}

void wait_by_exchange(Gate& gate) {
  int expected = 1;
  while (!gate.open.compare_exchange_strong(expected, 1, std::memory_order_acquire)) expected = 1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Gate gate;
  std::vector<std::thread> threads;
  for (const auto wait : {wait_bare, wait_with_fence, wait_with_pause, wait_with_back_off, wait_with_yield,
                          wait_without_sleep, wait_by_exchange})
    threads.emplace_back([&gate, wait] {
      wait(gate);
      assert(gate.value == 42);
    });
  std::thread opener([&] {
    gate.value = 42;
    gate.lit.test_and_set(std::memory_order_release);
    gate.open.store(1, std::memory_order_release);
  });
  for (std::thread& thread : threads) thread.join();
  opener.join();
  return 0;
}
