#include "fuzzer/engine/sanitizer_report.h"

#include <algorithm>
#include <cstring>

#include "instrumentation/runtime/sanitizer_options.h"

extern "C" {
__attribute__((weak)) int __tsan_get_report_data(void* report, const char** description, int* count, int* stack_count,
                                                 int* mop_count, int* location_count, int* mutex_count,
                                                 int* thread_count, int* unique_tid_count, void** sleep_trace,
                                                 unsigned long trace_size);
__attribute__((weak)) int __tsan_get_report_mop(void* report, unsigned long index, int* tid, void** address, int* size,
                                                int* write, int* atomic, void** trace, unsigned long trace_size);
__attribute__((weak)) int __tsan_get_report_stack(void* report, unsigned long index, void** trace,
                                                  unsigned long trace_size);
__attribute__((weak)) int __asan_report_present();
__attribute__((weak)) const char* __asan_get_report_description();
}

namespace weavefuzz::engine {

namespace {

// TSan gives its report to whoever listens while it is being made. It holds locks then that any use of the
// heap may wait for, so the rest is left to the next event of the run.
bool tsan_reported = false;
bool ubsan_reported = false;
char tsan_description[128];
constexpr int kMostAccesses = 4;
runtime::Stack tsan_stacks[kMostAccesses];
int tsan_stack_count = 0;

// TSan gives call addresses where the rest of us has return addresses.
void to_return_addresses(runtime::Stack& stack) {
  for (const void*& address : stack)
    if (address != nullptr) address = static_cast<const char*>(address) + 1;
}

}  // namespace

extern "C" void __tsan_on_report(void* report) {
  if (tsan_reported || !runtime::controlled()) return;
  const char* description = "";
  int count = 0;
  int stacks = 0;
  int accesses = 0;
  int unused = 0;
  void* sleep_trace[1] = {};
  __tsan_get_report_data(report, &description, &count, &stacks, &accesses, &unused, &unused, &unused, &unused,
                         sleep_trace, 1);
  tsan_reported = true;
  runtime::request_finding();
  std::strncpy(tsan_description, description, sizeof tsan_description - 1);
  const auto trace = [](runtime::Stack& stack) { return const_cast<void**>(stack.data()); };
  for (int i = 0; i < std::min(accesses, kMostAccesses); ++i) {
    int tid = 0;
    int size = 0;
    int write = 0;
    int atomic = 0;
    void* address = nullptr;
    runtime::Stack& stack = tsan_stacks[tsan_stack_count++];
    __tsan_get_report_mop(report, static_cast<unsigned long>(i), &tid, &address, &size, &write, &atomic, trace(stack),
                          runtime::kStackDepth);
    to_return_addresses(stack);
  }
  if (accesses > 0) return;
  for (int i = 0; i < std::min(stacks, kMostAccesses); ++i) {
    runtime::Stack& stack = tsan_stacks[tsan_stack_count++];
    __tsan_get_report_stack(report, static_cast<unsigned long>(i), trace(stack), runtime::kStackDepth);
    to_return_addresses(stack);
  }
}

extern "C" void __ubsan_on_report() { ubsan_reported = true; }

bool sanitizer_has_reported() { return tsan_reported; }

Cause cause_from_sanitizer() {
  if (tsan_reported) {
    const std::string_view description = tsan_description;
    Cause cause{Verdict::kSanitizer, std::string(description), {}, {}};
    if (description.starts_with("data-race")) cause = {Verdict::kDataRace, "two accesses that nothing orders", {}, {}};
    if (description.starts_with("lock-order"))
      cause = {Verdict::kLockOrder, "mutexes taken in opposite orders could deadlock", {}, {}};
    if (description.find("use-after-free") != std::string_view::npos) cause.verdict = Verdict::kMemoryError;
    cause.stacks.assign(tsan_stacks, tsan_stacks + tsan_stack_count);
    return cause;
  }
  if (&__asan_report_present != nullptr && __asan_report_present() != 0) {
    const std::string_view description = __asan_get_report_description();
    const bool is_signal =
        description == "SEGV" || description == "FPE" || description == "ILL" || description == "BUS";
    return {is_signal ? Verdict::kSignal : Verdict::kMemoryError, std::string(description), {}, {}};
  }
  if (ubsan_reported) return {Verdict::kUndefinedBehaviour, "reported by UndefinedBehaviorSanitizer", {}, {}};
  return {Verdict::kSignal, "caught by the sanitizer", {}, {}};
}

}  // namespace weavefuzz::engine

// Defaults that make a report one artifact and one exit code. Signals are left to us: one report for them, the same
// in every build.
#define WEAVEFUZZ_COMMON_OPTIONS                                                                \
  "exitcode=77:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_sigtrap=0:" \
  "handle_abort=0:external_symbolizer_path=" WEAVEFUZZ_SYMBOLIZER

namespace weavefuzz::runtime {

// libFuzzer allocates in its signal handlers; and nothing is gained by waiting a second at exit.
const char tsan_options[] = WEAVEFUZZ_COMMON_OPTIONS ":halt_on_error=0:report_signal_unsafe=0:atexit_sleep_ms=0";
const char asan_options[] = WEAVEFUZZ_COMMON_OPTIONS;
const char ubsan_options[] = WEAVEFUZZ_COMMON_OPTIONS ":halt_on_error=1:print_stacktrace=1";

}  // namespace weavefuzz::runtime
