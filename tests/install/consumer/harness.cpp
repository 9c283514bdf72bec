// A lost update, in a C function.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "counter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) {
  hits = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < THREADS; ++i) threads.emplace_back(hit);
  }
  assert(hits == THREADS);
  return 0;
}
