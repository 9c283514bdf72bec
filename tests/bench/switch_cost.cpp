// Two threads that give way to each other, WEAVEFUZZ_BENCH_OPERATIONS times in all in every run: for the
// cost of a switch.
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace {

const char* const setting = std::getenv("WEAVEFUZZ_BENCH_OPERATIONS");
const unsigned operations = setting == nullptr ? 0 : static_cast<unsigned>(std::atoi(setting));

void give_way() {
  for (unsigned i = 0, count = operations / 2; i < count; ++i) sched_yield();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) {
  std::thread first(give_way);
  std::thread second(give_way);
  first.join();
  second.join();
  return 0;
}
