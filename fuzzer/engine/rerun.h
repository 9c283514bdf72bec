// Runs one input again in a new process of the same binary, and brings its report back.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/engine/options.h"
#include "fuzzer/engine/report.h"
#include "fuzzer/model/input.h"

namespace weavefuzz::engine {

// nullopt if the process could not be started or came to no end of its own. `arguments` are the flags of
// this process that the other one needs. Safe in a process that is about to die: no libc fork handlers.
std::optional<Report> rerun(ByteView input, const std::vector<std::string>& arguments, const Options& options);

// The same, for the trace alone.
std::optional<Trace> rerun_for_trace(ByteView input, const std::vector<std::string>& arguments, const Options& options);

// Runs `body` in a forked copy of this process, silently, and brings back what it sent to the descriptor
// that it is given; nullopt if that was nothing.
std::optional<Report> run_in_fork(void (*body)(int descriptor, void* context), void* context);

// Waits until a forked process has ended.
void wait_for(long child);

// The other end.
void send_report(int descriptor, const Report& report);
void send_trace(int descriptor, const Trace& trace);

}  // namespace weavefuzz::engine
