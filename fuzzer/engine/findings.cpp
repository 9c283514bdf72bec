#include "fuzzer/engine/findings.h"

#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <typeinfo>

#include <cxxabi.h>

#include "fuzzer/engine/report.h"
#include "fuzzer/engine/rerun.h"
#include "fuzzer/engine/sanitizer_report.h"
#include "instrumentation/runtime/runtime.h"
#include "instrumentation/runtime/system.h"

extern "C" {
// libFuzzer's own reaction to a crash: writes the artifact, prints final statistics.
__attribute__((weak)) void libfuzzer_death_callback() asm("_ZN6fuzzer6Fuzzer19StaticDeathCallbackEv");
// libFuzzer takes its alarm only on the thread that it knows; a borrowed identity is that thread, too.
extern __attribute__((weak)) __thread bool libfuzzer_is_my_thread asm("_ZN6fuzzer6Fuzzer10IsMyThreadE");
int __sigaction(int signal, const struct sigaction* action, struct sigaction* old);
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());
// True while libFuzzer runs an input once more only to see whether it leaks.
__attribute__((weak)) bool lsan_is_disabled() asm("_ZN6__lsan20DisabledInThisThreadEv");
[[noreturn]] void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) noexcept;
}

namespace weavefuzz::engine {

namespace {

constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE};
constexpr int kEngineSignals[] = {SIGALRM, SIGINT, SIGTERM, SIGXFSZ, SIGUSR1, SIGUSR2};
constexpr unsigned kLongestReport = 120;  // seconds

FindingSetup setup;
ByteView current_input;
std::uint64_t schedules = 0;
bool reporting = false;
int outcome_descriptor = -1;      // where the outcome goes instead of a report
bool is_ours[NSIG];               // nobody had a handler for it when we started
struct sigaction previous[NSIG];  // the handlers that we stand before
std::string pending_what;         // said before abort: a failed assertion, an uncaught exception
std::string pending_place;
Verdict pending_verdict = Verdict::kPass;

void print_stats() {
  if (!setup.print_final_stats) return;
  print("stat::schedules:                " + std::to_string(schedules) + "\n");
}

// The process may be in any state: whatever happens, it ends, and ends as a finding.
void limit_report_time() {
  struct sigaction action{};
  action.sa_handler = [](int) { exit_now(setup.exit_code); };
  __sigaction(SIGALRM, &action, nullptr);
  for (const int signal : kCrashSignals) __sigaction(signal, &action, nullptr);
  const itimerval limit{{0, 0}, {kLongestReport, 0}};
  setitimer(ITIMER_REAL, &limit, nullptr);
}

// Shows the report of a new process that ran the same input, if it came to the same end.
void confirm(Report& report) {
  const std::optional<Report> again = rerun(current_input, setup.arguments, setup.options);
  if (!again) {
    report.text += "NOTE: could not be run again in a new process to confirm it\n";
  } else if (again->verdict == report.verdict && again->trace_hash == report.trace_hash) {
    report.text = again->text;
    report.where = again->where;
    report.dedup_token = again->dedup_token;
  } else {
    report.text += "NOTE: does not repeat: a new process that runs the same input ends with \"" +
                   std::string(to_text(again->verdict)) + "\" and " +
                   (again->trace_hash == report.trace_hash ? "the same trace" : "another trace") +
                   ".\n  The harness probably keeps state from one run to the next, or depends on time or addresses.\n";
    if (const std::optional<Trace> there = rerun_for_trace(current_input, setup.arguments, setup.options))
      report.text += describe_difference(current_trace(), *there);
  }
}

// Verdict and trace of the run, without a look at threads and symbols.
Report outcome(Verdict verdict) {
  Report report;
  report.verdict = verdict;
  report.trace_hash = hash(current_trace());
  report.stats = runtime::stats();
  return report;
}

[[noreturn]] void report_finding(const Cause& cause, const void* fault) {
  if (reporting) exit_now(setup.exit_code);
  reporting = true;
  runtime::stop_for_report(fault);
  if (outcome_descriptor >= 0) {
    send_report(outcome_descriptor, outcome(cause.verdict));
    exit_now(setup.exit_code);
  }
  limit_report_time();
  // The artifact first: nothing that a report does may lose it.
  if (!setup.replay && &libfuzzer_death_callback != nullptr) libfuzzer_death_callback();
  if (setup.options.report_trace) {
    send_trace(static_cast<int>(setup.options.report_fd), current_trace());
    exit_now(setup.exit_code);
  }
  Report report = make_report(cause, setup.options);
  if (setup.options.report_fd != 0) {
    send_report(static_cast<int>(setup.options.report_fd), report);
    exit_now(setup.exit_code);
  }
  if (!setup.replay && setup.options.verify_findings) confirm(report);
  print("\n" + report.text + "\n");
  if (setup.print_final_stats) print("stat::schedules_to_first_finding: " + std::to_string(schedules + 1) + "\n");
  ++schedules;
  print_stats();
  print("SUMMARY: Weavefuzz: " + std::string(to_text(report.verdict)) + " " + report.where + "\n");
  print("DEDUP_TOKEN: " + report.dedup_token + "\n");
  print(trace_line(report) + "\n");
  exit_now(setup.exit_code);
}

void chain(int signal, siginfo_t* info, void* context) {
  const struct sigaction& action = previous[signal];
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    action.sa_handler(signal);
  } else {
    __sigaction(signal, &action, nullptr);  // let it strike again
  }
}

const void* interrupted_at(void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.pc);
#endif
}

void on_crash_signal(int signal, siginfo_t* info, void* context) {
  if (!runtime::controlled()) return chain(signal, info, context);
  if (signal == SIGPIPE && runtime::hold_signal_back(signal)) return;
  Cause cause;
  if (sanitizer_has_reported()) {
    cause = cause_from_sanitizer();
  } else if (pending_verdict != Verdict::kPass) {
    cause = {pending_verdict, pending_what, {}, pending_place};
  } else if (signal == SIGABRT) {
    cause = {Verdict::kAssertion, "the program called abort()", {}, {}};
  } else {
    cause = {Verdict::kSignal, std::string("SIG") + sigabbrev_np(signal), {}, {}};
    if (signal == SIGSEGV || signal == SIGBUS) {
      char address[32];
      std::snprintf(address, sizeof address, " at address %p", info->si_addr);
      // Where the heap and the stacks lie differs from process to process; a null page access does not.
      cause.what += reinterpret_cast<std::uintptr_t>(info->si_addr) < 4096 ? " near a null pointer" : address;
    }
  }
  report_finding(cause, interrupted_at(context));
}

// The fuzzer's own signals may come while a thread of the program is on: its handlers must see real time
// and real locks.
void on_engine_signal(int signal, siginfo_t* info, void* context) {
  const runtime::Uncontrolled guard;
  if (&libfuzzer_is_my_thread != nullptr && runtime::running()) libfuzzer_is_my_thread = true;
  chain(signal, info, context);
}

// Asked through TSan's sigaction, so that what we chain to is the fuzzer's own handler: TSan's would put a
// signal off until the thread next calls something that TSan knows, and an endless loop never does.
void install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  sigaction(signal, nullptr, &previous[signal]);
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  __sigaction(signal, &action, nullptr);
}

bool has_default_handler(int signal) {
  struct sigaction action{};
  __sigaction(signal, nullptr, &action);
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

// A thread that overflows its stack has no room for a handler.
void give_handlers_a_stack() {
  stack_t current{};
  if (sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0) return;
  static char memory[256 * 1024];
  const stack_t stack{memory, 0, sizeof memory};
  sigaltstack(&stack, nullptr);
}

[[noreturn]] void on_terminate() {
  if (runtime::controlled()) {
    const runtime::Uncontrolled guard;
    pending_verdict = Verdict::kException;
    pending_what = "std::terminate was called";
    if (const std::type_info* type = abi::__cxa_current_exception_type()) {
      int status = 0;
      char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
      pending_what = std::string("uncaught ") + (status == 0 ? name : type->name());
      try {
        throw;
      } catch (const std::exception& exception) {
        pending_what += std::string(": ") + exception.what();
      } catch (...) {
      }
    }
  }
  std::abort();
}

// A sanitizer has printed its report and is about to end the process.
void on_sanitizer_death() {
  if (!runtime::controlled()) {
    if (&libfuzzer_death_callback != nullptr) libfuzzer_death_callback();
    return;
  }
  report_finding(cause_from_sanitizer(), nullptr);
}

}  // namespace

void exit_now(int code) {
  for (;;) runtime::system_call(SYS_exit_group, code);
}

void print(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

void stop_with_error(const std::string& message) {
  print("weavefuzz: " + message + "\n");
  exit_now(1);
}

void note_signal_handlers() {
  runtime::note_signal_handlers();
  for (const int signal : kCrashSignals) is_ours[signal] = has_default_handler(signal);
}

void watch_for_findings(FindingSetup new_setup) {
  setup = std::move(new_setup);
  give_handlers_a_stack();
  for (const int signal : kCrashSignals)
    if (is_ours[signal]) install(signal, on_crash_signal);
  for (const int signal : kEngineSignals)
    if (!has_default_handler(signal)) install(signal, on_engine_signal);
  std::set_terminate(on_terminate);
  if (&__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(on_sanitizer_death);
  if (setup.print_final_stats && setup.options.report_fd == 0) std::atexit(print_stats);
}

void set_current_input(ByteView input) { current_input = input; }
void count_schedule() { ++schedules; }

void on_finding(Verdict verdict, const char* what) {
  report_finding(verdict == Verdict::kSanitizer ? cause_from_sanitizer() : Cause{verdict, what, {}, {}}, nullptr);
}

void on_refusal(const char* call, const char* reason, const void* caller) {
  runtime::stop_for_report(caller);
  const std::vector<Frame> frames = frames_of(runtime::look_at(runtime::current_thread()).stack);
  std::string text = std::string(call) + ": " + reason + "\n";
  if (const Frame* own = first_own_frame(frames)) text += "  called at " + own->place() + " in " + own->function + "\n";
  text += "  try: README.md, \"What is not supported\", says what a harness may use";
  stop_with_error(text);
}

void send_outcome_to(int descriptor) { outcome_descriptor = descriptor; }

void print_replay() {
  if (&lsan_is_disabled != nullptr && lsan_is_disabled()) return;
  if (outcome_descriptor >= 0) return send_report(outcome_descriptor, outcome(Verdict::kPass));
  if (setup.options.report_trace) return send_trace(static_cast<int>(setup.options.report_fd), current_trace());
  const Report report = make_report({}, setup.options);
  if (setup.options.report_fd != 0) return send_report(static_cast<int>(setup.options.report_fd), report);
  if (setup.options.print_trace) print(report.text);
  print(trace_line(report) + "\n");
}

// Remembers what failed, for the abort that follows.
extern "C" void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) noexcept {
  const bool controlled = runtime::controlled();
  {
    const runtime::Uncontrolled guard;
    if (controlled) {
      pending_verdict = Verdict::kAssertion;
      pending_what = expression;
      pending_place = base_name(file) + ":" + std::to_string(line) + " " + expression;
    }
    print(std::string(file) + ":" + std::to_string(line) + ": " + function + ": Assertion `" + expression +
          "' failed.\n");
  }
  std::abort();
}

// Public: weavefuzz.h.
extern "C" void weavefuzz_fail(const char* what) {
  if (!runtime::controlled()) {
    std::fprintf(stderr, "weavefuzz: %s\n", what);
    std::abort();
  }
  report_finding({Verdict::kAssertion, what, {}, {}}, nullptr);
}

}  // namespace weavefuzz::engine
