// What <weavefuzz/weavefuzz.h> offers to harnesses; weavefuzz_fail is the engine's.
#include "instrumentation/runtime/interpose.h"

namespace weavefuzz::runtime {

namespace {

// Of the calling thread: what `self` was, and how often it was taken away.
__thread Thread* paused_self __attribute__((tls_model("local-exec"))) = nullptr;
__thread unsigned pauses __attribute__((tls_model("local-exec"))) = 0;

}  // namespace

extern "C" void weavefuzz_yield() {
  if (self != nullptr) scheduler.reach({.kind = EventKind::kYield, .caller = WEAVEFUZZ_CALLER()});
}

extern "C" int weavefuzz_controlled() { return self != nullptr || pauses > 0 ? 1 : 0; }

// For tsan_memory.cpp.
extern "C" int weavefuzz_is_scheduled() { return self != nullptr ? 1 : 0; }

extern "C" void weavefuzz_pause() {
  if (self == nullptr && pauses == 0) return;
  if (pauses++ == 0) {
    paused_self = self;
    self = nullptr;
  }
}

extern "C" void weavefuzz_resume() {
  if (pauses == 0 || --pauses > 0) return;
  self = paused_self;
}

void end_pause() {
  if (pauses > 0) self = paused_self;
  pauses = 0;
}

Thread* paused_thread() { return pauses > 0 ? paused_self : nullptr; }

}  // namespace weavefuzz::runtime
