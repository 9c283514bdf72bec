// What hangs on a thread and must go with it: pthread keys and thread_local variables.
#pragma once
#include <bitset>

#include "instrumentation/runtime/threads.h"

namespace weavefuzz::runtime {

// The keys that have a value in the calling thread.
std::bitset<kMaxKeys> keys_in_use();

// Gives the calling logical thread fresh thread_local variables.
void reset_thread_locals();

// Runs, under control, what the ending thread registered: destructors of thread_local variables, newest
// first, then those of pthread keys; leaves the identity clean for the next thread.
void destroy_thread_locals(Thread& thread);

// Drops what earlier runs registered. Before a run starts.
void begin_thread_locals();

}  // namespace weavefuzz::runtime
