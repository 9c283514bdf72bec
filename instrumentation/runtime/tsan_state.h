// What TSan remembers from earlier runs must not decide whether it sees a race in this one.
//
// For each eight bytes of memory TSan keeps the last four accesses. Those of earlier runs are of no use, since
// all that they did happened before, but they take up room; and when there is no room left, it is the
// position in the thread's own log that says which access is given up. So each run starts with no accesses
// remembered where the run before it left some, and with every log at the same position, modulo four.
#pragma once
#include <cstdint>
#include <span>

#include "instrumentation/runtime/runtime.h"

namespace weavefuzz::runtime {

// Once, on any thread that TSan knows.
void initialise_tsan_state();
// Before a run: what the last one did.
void forget_accesses(std::span<const RawEvent> events);
// Before a run: a lock of the last one, free now. In which order it was taken with others there is of no matter here.
void forget_lock_order(std::uintptr_t lock);
// On each thread, before it does anything in a run.
void align_tsan_log();

// The top of TSan's own stack of calls of this thread; 0 if not known.
std::uintptr_t tsan_calls();
// Leaves the calls above `top`: frames of C code that pthread_exit unwound have not done so themselves.
void leave_tsan_calls(std::uintptr_t top);

}  // namespace weavefuzz::runtime
