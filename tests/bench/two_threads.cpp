// The harness that runs per second are counted on: two threads, ten accesses to shared memory each, made
// and joined in every run.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

std::atomic<unsigned> shared[2];

void work(unsigned self) {
  for (unsigned i = 0; i < 5; ++i) {
    shared[self].store(i, std::memory_order_relaxed);
    (void)shared[1 - self].load(std::memory_order_relaxed);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) {
  std::thread first(work, 0U);
  std::thread second(work, 1U);
  first.join();
  second.join();
  return 0;
}
