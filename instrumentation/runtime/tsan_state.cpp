#include "instrumentation/runtime/tsan_state.h"

#include <cstdint>

#include "instrumentation/runtime/sanitizers.h"

extern "C" {
// Functions and data of TSan's runtime, which is linked statically and of a known version. Where one is
// missing, nothing is done.
__attribute__((weak)) void tsan_reset_range(
    void* thread, std::uintptr_t pc, std::uintptr_t address,
    std::uintptr_t size) asm("_ZN6__tsan16MemoryResetRangeEPNS_11ThreadStateEmmm");
extern __attribute__((weak)) __thread char tsan_thread[] asm("_ZN6__tsan22cur_thread_placeholderE");
__attribute__((weak)) void __tsan_write1(void* address);
}

namespace weavefuzz::runtime {

namespace {

constexpr std::size_t kLogEntry = 8;        // bytes
constexpr std::size_t kRemembered = 4;      // accesses per eight bytes of memory
constexpr std::size_t kWordsSearched = 16;  // the log position is one of the first fields of a thread's state
constexpr std::size_t kScratch = 4096;

std::size_t log_position_index = kWordsSearched;  // of which word; kWordsSearched: not found
__thread char scratch[kScratch] __attribute__((tls_model("local-exec")));
__thread std::uint32_t scratch_used __attribute__((tls_model("local-exec"))) = 0;

std::uintptr_t word_of_thread(std::size_t index) {
  return reinterpret_cast<const volatile std::uintptr_t*>(tsan_thread)[index];
}

}  // namespace

// Entering and leaving a function each writes one entry; no other field grows both times.
void initialise_tsan_state() {
  if (&__tsan_func_entry == nullptr || tsan_thread == nullptr) return;
  std::uintptr_t before[kWordsSearched];
  std::uintptr_t between[kWordsSearched];
  for (std::size_t i = 0; i < kWordsSearched; ++i) before[i] = word_of_thread(i);
  __tsan_func_entry(__builtin_return_address(0));
  for (std::size_t i = 0; i < kWordsSearched; ++i) between[i] = word_of_thread(i);
  __tsan_func_exit();
  for (std::size_t i = 0; i < kWordsSearched; ++i)
    if (between[i] == before[i] + kLogEntry && word_of_thread(i) == between[i] + kLogEntry) log_position_index = i;
}

void align_tsan_log() {
  if (log_position_index == kWordsSearched) return;
  // An access may take two entries, or go to a new log: try until it fits.
  for (std::size_t tries = 0; tries < 4 * kRemembered; ++tries) {
    if (word_of_thread(log_position_index) / kLogEntry % kRemembered == 0) return;
    // Another address each time: TSan leaves repeated accesses out.
    scratch_used = (scratch_used + 8) % kScratch;
    __tsan_write1(&scratch[scratch_used]);
  }
}

void forget_accesses(std::span<const RawEvent> events) {
  if (&tsan_reset_range == nullptr) return;
  constexpr std::uintptr_t kMost = 4096;  // of one access; memory that is copied around in bulk is left alone
  for (const RawEvent& event : events)
    if (event.address != 0 && event.size != 0 && event.size <= kMost &&
        traits(event.kind).event_class == EventClass::kMemory)
      tsan_reset_range(tsan_thread, 0, event.address, event.size);
}

}  // namespace weavefuzz::runtime
