// What is said of a run: from the runtime's state to text.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fuzzer/engine/options.h"
#include "fuzzer/engine/symbols.h"
#include "fuzzer/model/trace.h"
#include "fuzzer/model/verdict.h"
#include "instrumentation/runtime/runtime.h"

namespace weavefuzz::engine {

// What is known of a finding before anything is looked up.
struct Cause {
  Verdict verdict = Verdict::kPass;
  std::string what;                    // one sentence
  std::vector<runtime::Stack> stacks;  // both accesses of a race; empty: where each thread is
  std::string place;                   // "file:line" if already known (an assertion names its own)
};

struct Report {
  Verdict verdict = Verdict::kPass;
  std::string where;  // place and function
  std::string dedup_token;
  std::string text;  // all there is to read, up to the summary
  std::uint64_t trace_hash = 0;
  runtime::RunStats stats;
};

// The events of the last run, numbered.
Trace current_trace();

// Where two runs of one input first differ, both sides, for a person; empty if they do not.
std::string describe_difference(const Trace& here, const Trace& there);

// REQUIRES: for a finding, runtime::stop_for_report() was called.
Report make_report(const Cause& cause, const Options& options);

// "TRACE_HASH: <16 hex> events: N switches: M preemptions: P"
std::string trace_line(const Report& report);

}  // namespace weavefuzz::engine
