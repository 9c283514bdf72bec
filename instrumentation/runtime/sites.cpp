#include "instrumentation/runtime/sites.h"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "instrumentation/runtime/runtime.h"

namespace weavefuzz::runtime {

namespace {

struct Range {
  const weavefuzz_site* sites_begin;
  const weavefuzz_site* sites_end;
  const weavefuzz_module* modules_begin;
  const weavefuzz_module* modules_end;
};

// The executable and its shared libraries, in the order in which the loader ran their constructors.
constexpr std::size_t kMaxRanges = 256;
Range ranges[kMaxRanges];
std::size_t range_count = 0;

// The only modules that matter when a thread starts.
constexpr std::size_t kMaxResets = 4096;
void (*resets[kMaxResets])();
std::size_t reset_count = 0;

[[noreturn]] void stop(const char* message, std::size_t length) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message, length);
  _exit(1);
}
#define WEAVEFUZZ_STOP(message) stop(message, sizeof(message) - 1)

void add(const Range& range) {
  for (std::size_t i = 0; i < range_count; ++i)
    if (ranges[i].modules_begin == range.modules_begin) return;
  if (range_count == kMaxRanges) WEAVEFUZZ_STOP("weavefuzz: too many instrumented shared libraries (256)\n");
  ranges[range_count++] = range;
  for (const weavefuzz_module* module = range.modules_begin; module != range.modules_end; ++module) {
    if (module->abi_version != WEAVEFUZZ_ABI_VERSION)
      WEAVEFUZZ_STOP(
          "weavefuzz: an object file was compiled by another version of weavefuzz-clang\n"
          "  try: compile everything again with this one\n");
    if (module->reset_thread_locals == nullptr) continue;
    if (reset_count == kMaxResets) WEAVEFUZZ_STOP("weavefuzz: too many source files with thread_local variables\n");
    resets[reset_count++] = module->reset_thread_locals;
  }
}

}  // namespace

void reset_instrumented_thread_locals() {
  for (std::size_t i = 0; i < reset_count; ++i) resets[i]();
}

Instrumentation instrumentation() {
  Instrumentation sum;
  for (std::size_t i = 0; i < range_count; ++i) {
    sum.sites += static_cast<std::uint64_t>(ranges[i].sites_end - ranges[i].sites_begin);
    for (const weavefuzz_module* module = ranges[i].modules_begin; module != ranges[i].modules_end; ++module) {
      sum.instrumented += module->instrumented;
      for (std::size_t reason = 0; reason < WEAVEFUZZ_SKIP_REASONS; ++reason)
        sum.skipped[reason] += module->skipped[reason];
    }
  }
  return sum;
}

std::uint32_t site_number(const weavefuzz_site* site) {
  std::uint32_t base = 0;
  for (std::size_t i = 0; i < range_count; ++i) {
    if (site >= ranges[i].sites_begin && site < ranges[i].sites_end)
      return base + static_cast<std::uint32_t>(site - ranges[i].sites_begin);
    base += static_cast<std::uint32_t>(ranges[i].sites_end - ranges[i].sites_begin);
  }
  return base;
}

const weavefuzz_site* site_at(std::uint32_t number) {
  for (std::size_t i = 0; i < range_count; ++i) {
    const auto count = static_cast<std::uint32_t>(ranges[i].sites_end - ranges[i].sites_begin);
    if (number < count) return ranges[i].sites_begin + number;
    number -= count;
  }
  return nullptr;
}

extern "C" void __weavefuzz_register(const weavefuzz_site* sites_begin, const weavefuzz_site* sites_end,
                                     const weavefuzz_module* modules_begin, const weavefuzz_module* modules_end) {
  add({sites_begin, sites_end, modules_begin, modules_end});
}

}  // namespace weavefuzz::runtime
