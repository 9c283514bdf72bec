// What the runtime does most often, one at a time. Compare runs with --benchmark_out=FILE.
//
// Clocks are virtual and locks are modelled on a thread under control, so Google Benchmark itself stays
// outside: a run that does something kOperations times is timed as a whole, less one that does nothing.
// The column per_operation is the answer; the time column is that of the whole run.
#include <benchmark/benchmark.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fuzzer/model/schedule.h"
#include "fuzzer/policy/policy.h"
#include "instrumentation/abi/hooks.h"
#include "instrumentation/runtime/runtime.h"
#include "instrumentation/runtime/threads.h"

namespace weavefuzz {
namespace {

constexpr std::uint32_t kOperations = 4'000;  // the events of a run stay in the cache, as they mostly do

// --- The runtime, without a fuzzer ---

void stop_on_finding(Verdict, const char* what) {
  std::fprintf(stderr, "hooks_bench: %s\n", what);
  std::_Exit(1);
}

void stop_on_refusal(const char* call, const char* reason, const void*) {
  std::fprintf(stderr, "hooks_bench: %s: %s\n", call, reason);
  std::_Exit(1);
}

void use(runtime::Backend backend) {
  static bool initialised = false;
  static runtime::Backend current = runtime::Backend::kCarrier;
  if (initialised && current == backend) return;
  initialised = true;
  current = backend;
  runtime::Settings settings;
  settings.backend = backend;
  runtime::initialise(settings, stop_on_finding, stop_on_refusal);
}

const Schedule kSchedule;
unsigned shared;

void hook() { __weavefuzz_access(nullptr, &shared, WEAVEFUZZ_Write, sizeof shared); }

void reach_hooks(void*) {
  for (std::uint32_t i = 0; i < kOperations; ++i) hook();
}

void do_nothing(void*) {}

// Whoever did not run last.
class Alternate final : public Policy {
 public:
  void start(const Schedule&) override {}
  Choice pick(const Question& question) override {
    if (question.ready < 2 || question.current == kNobody) return {0, 0};
    return {question.current == 0 ? std::size_t{1} : std::size_t{0}, 0};
  }
};

// Starts one more thread, and then both reach hooks.
void reach_hooks_in_turn(void* operations) {
  const auto body = [](void* count) -> void* {
    for (std::uintptr_t i = reinterpret_cast<std::uintptr_t>(count) / 2; i > 0; --i) hook();
    return nullptr;
  };
  pthread_t other;
  pthread_create(&other, nullptr, body, operations);
  body(operations);
  pthread_join(other, nullptr);
}

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// On the carrier, CPU time: what else the machine does must not count. OS threads wait for each other.
double seconds_of(Policy& policy, void (*body)(void*), void* context, clockid_t clock) {
  const double begin = now(clock);
  runtime::run(policy, kSchedule, body, context);
  return now(clock) - begin;
}

void per_operation(benchmark::State& state, std::uint32_t operations) {
  state.counters["per_operation"] =
      benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Times `body(context)` less `less(less_context)`.
void time_runs(benchmark::State& state, Policy& policy, void (*body)(void*), void* context, void (*less)(void*),
               void* less_context, clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  std::vector<double> empty;
  for (int i = 0; i < 101; ++i) empty.push_back(seconds_of(policy, less, less_context, clock));
  std::ranges::nth_element(empty, empty.begin() + 50);
  for (auto _ : state) state.SetIterationTime(std::max(seconds_of(policy, body, context, clock) - empty[50], 1e-9));
  per_operation(state, kOperations);
}

// --- Benchmarks ---

// What does a hook cost that does not switch?
// Budget: 8 ns.
void BM_HookWithoutSwitch(benchmark::State& state) {
  use(runtime::Backend::kCarrier);
  time_runs(state, policy_for(kSchedule), reach_hooks, nullptr, do_nothing, nullptr);
}
BENCHMARK(BM_HookWithoutSwitch)->UseManualTime();

// What does a hook cost a thread that is not under control, or a program that is not being fuzzed?
// Budget: 3 ns.
void BM_HookOutsideOfRun(benchmark::State& state) {
  use(runtime::Backend::kCarrier);
  for (auto _ : state) reach_hooks(nullptr);
  per_operation(state, kOperations);
}
BENCHMARK(BM_HookOutsideOfRun);

// What does a hook cost at which the policy sends the other of two threads?
// Budget: 60 ns on the carrier; the OS backend is the fallback and has none.
void BM_HookWithSwitch(benchmark::State& state) {
  use(static_cast<runtime::Backend>(state.range(0)));
  state.SetLabel(state.range(0) == 0 ? "carrier" : "os");
  Alternate policy;
  time_runs(state, policy, reach_hooks_in_turn, reinterpret_cast<void*>(std::uintptr_t{kOperations}),
            reach_hooks_in_turn, nullptr, state.range(0) == 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}
BENCHMARK(BM_HookWithSwitch)->ArgName("backend")->Arg(0)->Arg(1)->UseManualTime();

#if defined(__x86_64__)

// A stack of its own that passes control back for ever.
struct Bouncer {
  runtime::Identity here;
  runtime::Identity there;
  std::vector<char> stack = std::vector<char>(1 << 16);
};
Bouncer* bouncer = nullptr;

void bounce() {
  for (;;) runtime::carrier_switcher().pass(bouncer->there, bouncer->here);
}

// What does it cost to change stack and thread pointer, without a decision?
// Budget: 30 ns.
void BM_CarrierSwitch(benchmark::State& state) {
  if (const char* reason = runtime::carrier_unavailable()) return state.SkipWithError(reason);
  Bouncer both;
  bouncer = &both;
  both.here.thread_pointer = both.there.thread_pointer = __builtin_thread_pointer();
  // As threads_carrier.cpp lays a frame out: control words, six registers, where to return to.
  constexpr std::size_t kSaved = 7;
  auto* top =
      reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(&both.stack.back()) & ~std::uintptr_t{15});
  auto* frame = top - 2 - kSaved;
  std::memset(frame, 0, kSaved * sizeof *frame);
  std::uint32_t mxcsr = 0;
  std::uint16_t x87_control = 0;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87_control));
  frame[0] = mxcsr | std::uint64_t{x87_control} << 32;
  frame[kSaved] = reinterpret_cast<std::uint64_t>(&bounce);
  both.there.stack_pointer = frame;
  for (auto _ : state)
    for (std::uint32_t i = 0; i < kOperations / 2; ++i)
      runtime::carrier_switcher().pass(both.here, both.there);  // there and back
  per_operation(state, kOperations);
}
BENCHMARK(BM_CarrierSwitch);

#endif

// What does one decision cost, by policy and number of candidates?
// Budget: 50 ns at 8 candidates.
void BM_PolicyPick(benchmark::State& state) {
  const PolicyRow& row = all_policies()[static_cast<std::size_t>(state.range(0))];
  state.SetLabel(row.name);
  Schedule schedule;
  schedule.policy = row.id;
  schedule.seed = 1;
  Policy& policy = policy_for(schedule);
  policy.start(schedule);
  std::vector<Candidate> candidates(static_cast<std::size_t>(state.range(1)));
  for (std::uint32_t i = 0; i < candidates.size(); ++i)
    candidates[i] = {ThreadId{i}, Readiness::kReady, {EventKind::kWrite, SiteKey{i + 1}, VariableId{1}}};
  Question question;
  question.candidates = candidates;
  question.ready = candidates.size();
  question.arrived = true;
  question.current = 0;
  for (auto _ : state) {
    question.thread = candidates[question.current].thread;
    question.op = candidates[question.current].op;
    const Choice choice = policy.pick(question);
    benchmark::DoNotOptimize(choice);
    question.current = choice.index;
  }
}
BENCHMARK(BM_PolicyPick)->ArgNames({"policy", "candidates"})->ArgsProduct({{0, 1}, {2, 8, 64}});

}  // namespace
}  // namespace weavefuzz

BENCHMARK_MAIN();
