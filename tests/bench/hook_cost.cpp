// One thread, and as many accesses to shared memory as WEAVEFUZZ_BENCH_OPERATIONS says in every run: for
// the cost of a hook that does not switch.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

const char* const setting = std::getenv("WEAVEFUZZ_BENCH_OPERATIONS");
const unsigned operations = setting == nullptr ? 0 : static_cast<unsigned>(std::atoi(setting));

}  // namespace

std::atomic<unsigned> shared;  // not in the unnamed namespace: nobody reads it, and so it would go

// Counting edges would take longer than the access, and hide a part of the hook.
__attribute__((no_sanitize("coverage"))) extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) {
  for (unsigned i = 0, count = operations; i < count; ++i) shared.store(i, std::memory_order_relaxed);
  return 0;
}
