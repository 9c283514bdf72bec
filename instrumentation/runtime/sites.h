// The instrumented modules of this process.
#pragma once
#include "instrumentation/abi/hooks.h"

namespace weavefuzz::runtime {

// Gives every thread_local variable of instrumented modules its initial value, for the calling thread.
void reset_instrumented_thread_locals();

// What is registered from now on was opened by the program, and may be closed again.
void end_of_linked_program();

// After a library was closed. Events that have their sites there keep them.
void forget_closed_libraries();

}  // namespace weavefuzz::runtime
