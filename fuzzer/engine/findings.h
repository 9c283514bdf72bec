// From "something went wrong" to a report, an artifact and an exit code.
#pragma once
#include <string>
#include <vector>

#include "fuzzer/engine/options.h"
#include "fuzzer/model/input.h"
#include "fuzzer/model/verdict.h"

namespace weavefuzz::engine {

struct FindingSetup {
  Options options;
  bool replay = false;  // an input is run on its own: show all there is, write no artifact
  bool print_final_stats = false;
  int exit_code = 77;
  std::vector<std::string> arguments;  // for running a finding again in a new process
};

// Once, before libFuzzer sets its signal handlers up.
void note_signal_handlers();
// Once, before the first run: takes crash signals, std::terminate and the sanitizers' last words.
void watch_for_findings(FindingSetup setup);

// The input that runs now; what a finding is about. REQUIRES: stays alive during the run.
void set_current_input(ByteView input);
void count_schedule();

// Handlers for the runtime.
void on_finding(Verdict verdict, const char* what);
void on_refusal(const char* call, const char* reason, const void* caller);

// A run that was replayed and passed: prints its interleaving.
void print_replay();

// This process only finds out how the input ends, for the one that forked it: verdict and trace, no text.
void send_outcome_to(int descriptor);

void print(const std::string& text);
// Past the sanitizers, which would wait for locks that a failing thread holds.
[[noreturn]] void exit_now(int code);
[[noreturn]] void stop_with_error(const std::string& message);

}  // namespace weavefuzz::engine
