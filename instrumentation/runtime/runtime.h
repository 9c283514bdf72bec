// The runtime: runs a body with its threads under control. The only header other folders see.
//
// Ground rules for everything in this folder:
//  - Compiled without the pass and without any sanitizer, and linked so that neither inline functions
//    nor memcpy are shared with instrumented code: it touches its state from every thread's identity,
//    which TSan would take for races.
//  - While a run is on: no malloc, no stdio, no system call on the way of a hook, a decision or a switch.
//  - A thread that is not under control passes through every hook and interposed call untouched.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fuzzer/model/event.h"
#include "fuzzer/model/ids.h"
#include "fuzzer/model/verdict.h"
#include "fuzzer/policy/policy.h"

namespace weavefuzz::runtime {

enum class Backend : std::uint8_t {
  kCarrier,  // all threads on one OS thread, with borrowed identities
  kOs,       // each thread on an OS thread of its own, one at a time
};

// Why the carrier backend cannot be used on this machine; nullptr if it can.
const char* carrier_unavailable();

struct Settings {
  Backend backend = Backend::kCarrier;
  std::uint32_t max_steps = 1'000'000;  // while more than one thread is there
  std::uint32_t max_threads = 256;
  bool spurious_wakeups = true;
  bool record_stacks = false;  // remember the call stack of each event; for replays
};

inline constexpr std::size_t kStackDepth = 32;
using Stack = std::array<const void*, kStackDepth>;  // innermost first, return addresses, ends with nullptr

// One event as it happened. Addresses are those of this process: number them before comparing runs.
struct RawEvent {
  const weavefuzz_site* site;  // nullptr for events without one
  std::uintptr_t address;      // memory, object, or the number of another thread (spawn, join, ...)
  std::uint32_t size;
  std::uint16_t thread;
  EventKind kind;
  bool futile;  // it changed nothing: a try that failed, an update that left the value as it was; false if unknown
};

// What a thread is doing when a run is looked at.
enum class Activity : std::uint8_t { kRunning, kReady, kSpinning, kBlocked, kFinished };

struct ThreadView {
  ThreadId id;
  Activity activity = Activity::kReady;
  EventKind op = EventKind::kStart;  // what it is about to do
  std::uintptr_t object = 0;         // ... to what: mutex, condition ...
  const char* noun = "mutex";        // what that is
  bool has_holder = false;
  ThreadId holder;            // who holds the object, or who is waited for
  bool holder_waits = false;  // to hold it for writing, and goes first
  std::uint32_t missing = 0;  // barrier: how many threads have yet to come
  bool waits_for_notify = false;
  std::uint32_t missed_notifications = 0;  // of the condition variable, sent while nobody waited
  Stack stack{};                           // where it is
  Stack created{};                         // where it was started
};

struct HeldLock {
  std::uintptr_t object = 0;
  const char* noun = "mutex";
  bool for_reading = false;
  ThreadId holder;
  Stack stack{};  // where it was taken
};

struct RunStats {
  std::uint32_t events = 0;
  std::uint32_t switches = 0;
  std::uint32_t preemptions = 0;
  std::uint32_t threads = 1;
  std::uint32_t unused_switches = 0;
  std::uint32_t forgotten = 0;  // events that are no longer among events()
};

// Called when a run goes wrong, on the thread that noticed. Does not return: the threads of the run
// cannot be unwound. `what` says more for a person and may be empty.
using FindingHandler = void (*)(Verdict verdict, const char* what);
// Called when the program does something that is not supported, at `caller` if that is known. Does not return.
using RefusalHandler = void (*)(const char* call, const char* reason, const void* caller);

// Once, before the first run. REQUIRES: called from the thread that will call run().
void initialise(const Settings& settings, FindingHandler on_finding, RefusalHandler on_refusal);

// Threads that the calling thread starts outside runs from now on are the fuzzer's own. Before, they are the program's.
void expect_threads_of_fuzzer();
// How many threads of the program are not under control: started before the run, or by another such thread.
std::uint32_t outsiders();

// Runs `body(context)` as thread 0 under `policy`, with every thread it starts, until all have ended.
void run(Policy& policy, const Schedule& schedule, void (*body)(void*), void* context);

// What the program itself does with signals so far. Before an engine has handlers of its own.
void note_signal_handlers();
// The kernel raised `signal` for what the calling thread did. If the thread blocks it, it is pending now: true.
bool hold_signal_back(int signal);

// In a process that was forked from one that has had runs: parked threads are gone.
void after_fork();

// True on a thread that is part of a run now.
bool controlled();
// True while a run is on, on any thread.
bool running();

// While it lives, the calling thread is not under control: for signal handlers that run on a thread of
// the program but belong to the fuzzer.
class Uncontrolled {
 public:
  Uncontrolled();
  ~Uncontrolled();
  Uncontrolled(const Uncontrolled&) = delete;
  Uncontrolled& operator=(const Uncontrolled&) = delete;

 private:
  void* saved_;
};

// The current run has gone wrong, but whoever noticed is in no state to be stopped: TSan, which holds its own
// locks. The finding handler is called with kSanitizer before the next event.
void request_finding();

// The last or current run.
std::span<const RawEvent> events();
// Call stack of event `index`, empty where its site has a line of the program; nullptr unless record_stacks.
const Stack* stack_of_event(std::size_t index);
RunStats stats();
ThreadId current_thread();  // also after stop_for_report

// Stops control for good, so that a report may use the whole C++ library. `fault` is the address of the
// instruction at which a signal struck, or nullptr. Must precede the look-ups below.
void stop_for_report(const void* fault);
// REQUIRES: stop_for_report() was called while a run was on.
std::size_t thread_count();
ThreadView look_at(ThreadId thread);  // takes the thread's stack
std::size_t held_lock_count();
HeldLock held_lock(std::size_t index);

// The name of what an event on a descriptor is about, such as "pipe (3, 4)"; false for any other address.
bool descriptor_name(std::uintptr_t address, std::span<char> text);

// Instrumented modules, as registered.
struct Instrumentation {
  std::uint64_t sites = 0;
  std::uint64_t instrumented = 0;
  std::uint64_t skipped[WEAVEFUZZ_SKIP_REASONS] = {};
};
Instrumentation instrumentation();
// Index of a site over all registered modules, in link order: the same in every process.
std::uint32_t site_number(const weavefuzz_site* site);
// The other way round; nullptr if there is none.
const weavefuzz_site* site_at(std::uint32_t number);

}  // namespace weavefuzz::runtime
