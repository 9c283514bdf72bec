// Ends and copies of the process. A harness that ends it takes the fuzzer with it: that is a finding. A copy made by
// vfork shares the memory of all threads, and of the scheduler.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "instrumentation/runtime/interpose.h"

WEAVEFUZZ_DECLARE_REAL(exit)
WEAVEFUZZ_DECLARE_REAL(_exit)
WEAVEFUZZ_DECLARE_REAL(_Exit)
WEAVEFUZZ_DECLARE_REAL(quick_exit)
WEAVEFUZZ_DECLARE_REAL(vfork)

namespace weavefuzz::runtime {

namespace {

void report_end(const char* call, int code, const void* caller) {
  static char what[64];
  snprintf(what, sizeof what, "the program called %s(%d)", call, code);
  self->pending.caller = caller;
  scheduler.finding(Verdict::kAssertion, what);
}

}  // namespace

#define WEAVEFUZZ_ENDS_PROCESS(name)                                  \
  extern "C" void name(int code) noexcept(noexcept(name(0))) {        \
    if (self != nullptr) report_end(#name, code, WEAVEFUZZ_CALLER()); \
    WEAVEFUZZ_REAL(name)(code);                                       \
    __builtin_unreachable();                                          \
  }
WEAVEFUZZ_ENDS_PROCESS(exit)
WEAVEFUZZ_ENDS_PROCESS(_exit)
WEAVEFUZZ_ENDS_PROCESS(_Exit)
WEAVEFUZZ_ENDS_PROCESS(quick_exit)
#undef WEAVEFUZZ_ENDS_PROCESS

extern "C" pid_t vfork() noexcept {
  if (self != nullptr) scheduler.refuse("vfork", "not supported; posix_spawn is", WEAVEFUZZ_CALLER());
  const auto real = WEAVEFUZZ_REAL(vfork);
  [[clang::musttail]] return real();  // it returns twice: no frame may be in between
}

}  // namespace weavefuzz::runtime
