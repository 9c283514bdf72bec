// The instrumented modules of this process.
#pragma once
#include "instrumentation/abi/hooks.h"

namespace weavefuzz::runtime {

// Gives every thread_local variable of instrumented modules its initial value, for the calling thread.
void reset_instrumented_thread_locals();

}  // namespace weavefuzz::runtime
