// Threads, the objects they wait for, and the loop that asks the policy who moves next.
#pragma once
#include <pthread.h>
#include <unwind.h>

#include <array>
#include <cstdint>

#include "instrumentation/runtime/numbering.h"
#include "instrumentation/runtime/recorder.h"
#include "instrumentation/runtime/runtime.h"
#include "instrumentation/runtime/signals.h"
#include "instrumentation/runtime/spinning.h"
#include "instrumentation/runtime/threads.h"
#include "instrumentation/runtime/zeroed.h"

namespace weavefuzz::runtime {

inline constexpr std::size_t kMaxThreads = 1024;
inline constexpr std::size_t kMaxObjects = std::size_t{1} << 14;
inline constexpr std::size_t kMaxShares = std::size_t{1} << 14;
inline constexpr std::uint64_t kNever = 0;  // as a deadline; virtual time starts above it
// A thread that ran for this many events while others could run lets them, whatever the policy says: code that we do
// not see may wait for another thread.
inline constexpr std::uint32_t kFairSlice = 5'000;
// How often, in events, to look whether a thread spins: the longer it did not, the less often.
inline constexpr std::uint32_t kShortestLookInterval = 128;
inline constexpr std::uint32_t kLongestLookInterval = 2048;
// A thread that spins runs for so long at a time, and only when all others wait or spin.
inline constexpr std::uint32_t kSpinSlice = 64;

struct Thread;

// One thread's hold on a read-write lock for reading.
struct Share {
  Thread* reader = nullptr;
  std::uint32_t depth = 0;  // how often it was taken
  Share* next = nullptr;    // of the same lock
};

// A mutex, condition variable, once flag ... as the model sees it.
struct Object {
  std::uintptr_t address = 0;
  std::uint32_t run = 0;         // the run that it was last seen in; its state is from there
  const char* noun = "mutex";    // what a report calls it
  Thread* owner = nullptr;       // lock: who holds it; once: who is initialising
  std::uint32_t depth = 0;       // recursive mutex: how often
  std::uint32_t shares = 0;      // read-write lock: how often it is held for reading
  Share* first_share = nullptr;  // ... and by whom
  std::uint32_t count = 0;       // barrier: how many have come, over all rounds; futex: its value at the last miss
  std::uint32_t missed = 0;      // condition, futex: notifications sent while nobody waited
};

// What must hold before a thread can carry out its pending operation.
enum class Gate : std::uint8_t {
  kOpen,
  kFree,      // nobody holds `object`
  kUnowned,   // nobody holds `object` for writing
  kNoWriter,  // nobody holds `object` for writing, or waits at kFree to do so
  kReached,   // the count of `object` is at least `goal`
  kNotified,  // somebody notifies `object`, a condition variable or futex
  kFinished,  // `target` has ended
  kAlone,     // every other thread has ended
  kClock,     // the deadline passes
  kAsked,     // `holds(context)` says so; it must depend on nothing but what threads of the run did
};

struct Op {
  EventKind kind = EventKind::kStart;
  const weavefuzz_site* site = nullptr;
  std::uintptr_t address = 0;
  std::uint32_t size = 0;
  const void* caller = nullptr;  // return address into the program
};

inline constexpr std::uint32_t kAnyBits = ~std::uint32_t{0};

struct Condition {
  Gate gate = Gate::kOpen;
  std::uint32_t bits = kAnyBits;  // kNotified: a notification must share one of these
  Object* object = nullptr;
  Thread* target = nullptr;
  std::uint64_t deadline = kNever;  // virtual nanoseconds; when it passes the thread goes on regardless
  std::uint32_t goal = 0;
  bool (*holds)(const void* context) = nullptr;
  const void* context = nullptr;
};

// What is known of a thread that is suspected of spinning.
struct Spinner {
  Circle circle;
  RawEvent* last = nullptr;  // its latest event, not yet judged
  bool compares = false;     // ... which may leave memory as it is:
  char before[Circle::kLargestValue] = {};
  std::uint32_t ran_at = 0;      // steps, when it ran last
  std::uint32_t checked_at = 0;  // steps, when its state was looked at
  // To see whether the thread itself comes back to the same state: registers and stack, at some earlier time.
  std::uint64_t state = 0;
  std::uint32_t states = 0;  // how many were looked at
  bool recurs = false;
};

struct ThreadLocalDestructor;

struct alignas(64) Thread {
  // What a decision looks at comes first.
  ThreadId id;
  bool started = false;
  bool finished = false;
  bool detached = false;
  bool joined = false;
  bool yields = false;     // lets others go first, once
  bool spins = false;      // ... and until something changes
  std::uint8_t haste = 0;  // of the clock, while nobody can do anything but read it
  Readiness resumed_as = Readiness::kReady;
  VariableId variable;  // of the pending operation
  Op pending;
  Condition condition;
  Signals signals;
  Spinner* spinner = nullptr;                     // if it is suspected
  std::uint32_t look_at = kShortestLookInterval;  // steps, when to look whether it is
  std::uint32_t look_interval = kShortestLookInterval;
  Identity* identity = nullptr;
  std::uint64_t wait_order = 0;        // among those that wait for a notification
  Object* wait_mutex = nullptr;        // to be taken again after a notification; nullptr: none
  std::uint32_t search = 0;            // for circles, that has come by here last
  const void* on_behalf_of = nullptr;  // the line that called what calls interposed functions in turn
  void* (*start)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  ThreadLocalDestructor* destructors = nullptr;  // newest first
  void* exit_point[5] = {};                      // __builtin_setjmp buffer: where pthread_exit ends up
  std::uintptr_t tsan_calls = 0;                 // how deep TSan thought that the stack was at the start
  char* base_frame = nullptr;
  _Unwind_Exception unwinding = {};            // by pthread_exit
  __pthread_unwind_buf_t* cleanups = nullptr;  // handlers that C code has pushed, newest first
  Stack created{};
};

// The calling thread, if it is under control.
extern __thread Thread* self __attribute__((tls_model("local-exec")));

// While it lives, the calling thread's own hooks and interposed calls pass through.
class Unscheduled {
 public:
  Unscheduled() : saved_(self) { self = nullptr; }
  ~Unscheduled() { self = saved_; }
  Unscheduled(const Unscheduled&) = delete;
  Unscheduled& operator=(const Unscheduled&) = delete;

 private:
  Thread* saved_;
};

class Scheduler {
 public:
  void initialise(const Settings& settings, FindingHandler on_finding, RefusalHandler on_refusal);
  void run(Policy& policy, const Schedule& schedule, void (*body)(void*), void* context);

  // `self` is about to do `op`, and can once `condition` holds. Others may run first. Returns when it
  // has been chosen and its event is recorded; the caller then carries it out at once. A signal's handler may run
  // first; one that comes while the thread sleeps or waits for a notification ends that, as kSpurious.
  // In the header, so that an operation is written where it will be read and nowhere else.
  [[gnu::always_inline]] void reach(const Op& op) {
    if (has_signal(self->signals)) [[unlikely]]
      deliver_signals();
    self->pending = op;
    arrive();
  }
  [[gnu::always_inline]] Readiness reach(const Op& op, const Condition& condition) {
    if (has_signal(self->signals)) [[unlikely]]
      deliver_signals();
    self->pending = op;
    self->condition = condition;
    return arrive_at_gate();
  }

  Thread* spawn(void* (*start)(void*), void* argument, std::size_t stack_size, bool detached, const void* caller);
  // nullptr if no thread of this run has that handle.
  Thread* find(pthread_t handle);
  Thread* find_by_number(pid_t number);  // as gettid() gave it
  [[noreturn]] void end_thread_early();  // pthread_exit, by `self`; also goes on after a cleanup handler
  void body_of_thread(Thread& thread);

  Object& object(const void* address);
  void forget_object(const void* address);
  // `self` holds `lock` for reading once more.
  void add_share(Object& lock, const void* caller);
  // One hold on `lock` for reading less: by `self`, if it has one. REQUIRES: there is one.
  void drop_share(Object& lock);
  void drop_all_shares(Object& lock);
  // Does any thread wait for `object` at `gate`?
  bool is_awaited(Gate gate, const Object& object) const;
  // The program gave this memory back: what lies there next is something else.
  void forget_memory(const volatile void* memory, std::size_t size);
  // A waiter of `condition` that the policy chooses; nullptr if there is none.
  Thread* choose_waiter(const Object& condition, std::uint32_t bits = kAnyBits);
  void notify(Thread& waiter);
  std::size_t notify_all(const Object& condition, std::uint32_t bits = kAnyBits);  // how many there were
  // From now on `waiter` waits for a notification of `other`.
  void requeue(Thread& waiter, Object& other);

  [[noreturn]] void finding(Verdict verdict, const char* what);
  void request_finding();
  [[noreturn]] void refuse(const char* call, const char* reason, const void* caller = nullptr);

  // The operation that `self` has just carried out changed nothing: a try that failed.
  int futile(int error) {
    recorder.last().futile = true;
    return error;
  }

  std::uint64_t now() const { return now_; }
  // Time that all threads have spent on doing something, not on waiting.
  std::uint64_t busy() const { return busy_; }
  // Reading a clock takes time, too.
  void spend_time(std::uint64_t nanoseconds);
  std::uint64_t next_wait_order() { return ++wait_orders_; }
  bool on() const { return on_; }
  // Were there threads of the program outside the run, or are there?
  bool has_outsiders() const { return outsiders_ > 0 || outsiders() > 0; }
  std::uint32_t run_number() const { return run_; }
  const Settings& settings() const { return settings_; }
  RunStats stats() const;

  // For reports.
  void stop_for_report(const void* fault);
  std::size_t thread_count() const { return thread_count_; }
  ThreadView look_at(ThreadId id);
  ThreadId current() const;
  std::size_t held_lock_count() const;
  HeldLock held_lock(std::size_t index) const;  // every lock that a thread owns or shares
  void remember_owner_stack(const Object& object, const void* caller);

 private:
  bool holds(const Condition& condition) const;
  // Can it go on, if only to run the handler of a signal?
  [[gnu::always_inline]] bool open(const Thread& thread) const {
    switch (thread.condition.gate) {  // what is asked most, without a call
      case Gate::kOpen: return true;
      case Gate::kFinished: return thread.condition.target->finished || has_signal(thread.signals);
      default: return holds(thread.condition) || has_signal(thread.signals);
    }
  }
  static bool waits_at(Gate gate, const Object& object, const Thread& thread) {
    return !thread.finished && thread.condition.gate == gate && thread.condition.object == &object;
  }
  // Calls visit(other) for each thread that must do something before `thread` can go on; it needs all of them.
  template <class Visit>
  void for_each_blocker(const Thread& thread, Visit visit);
  template <class Visit>
  void for_each_held_lock(Visit visit) const;
  void arrive();
  Readiness arrive_at_gate();
  static bool waits_for(const Thread& thread, const Object& condition, std::uint32_t bits);
  void consider(Thread& me, bool can_go_on);
  void decide(bool arrived);
  void record(const Thread& thread, EventKind kind);
  void ask_again(const Thread& next, std::uint32_t steps);
  void fire_timeout(Thread& thread);
  Object* slot_for(std::uintptr_t address);
  void be_interrupted();
  std::size_t collect_candidates(std::size_t& ready);
  void switch_to(Thread& next);
  void after_switch();
  void check_for_deadlock(Thread& thread);
  [[noreturn]] void nothing_can_run();
  void finish_thread(Thread& thread);

  // Spinning threads.
  void look_for_spinning(Thread& me);
  void judge_last_event(Thread& me);
  void remember_event(Spinner& spinner, RawEvent& event);
  void disturb_spinners();
  void wake_spinner(Thread& thread);
  void stop_spinning(Thread& thread);
  void forget_spinners();
  void check_for_livelock(Thread& me);
  bool anybody_has_a_deadline() const;

  Zeroed<Thread, kMaxThreads> threads_;
  Zeroed<Object, kMaxObjects> objects_;                    // hashed by address
  std::array<std::uint32_t, kMaxObjects> object_order_{};  // slots of this run's, as they were first used
  std::array<Stack, kMaxObjects> owner_stacks_{};          // where each lock was taken; only with record_stacks
  Zeroed<Share, kMaxShares> shares_;
  std::array<Stack, kMaxShares> share_stacks_{};  // as owner_stacks_
  Share* unused_shares_ = nullptr;                // below share_count_
  std::uint32_t share_count_ = 0;
  std::array<Thread*, kMaxThreads> waited_for_{};  // by a search for circles
  std::uint32_t searches_ = 0;
  Zeroed<Spinner, kMaxThreads> spinners_;  // by thread
  Zeroed<Candidate, 2 * kMaxThreads> candidates_;
  Numbering numbering_;
  Identity* main_identity_ = nullptr;
  std::uint32_t object_count_ = 0;

  static Settings settings_;  // apart: all else is zero at first, and so no part of the program's file
  FindingHandler on_finding_ = nullptr;
  RefusalHandler on_refusal_ = nullptr;
  Switcher* switcher_ = nullptr;
  Policy* policy_ = nullptr;
  bool on_ = false;
  bool finding_requested_ = false;
  std::uint32_t run_ = 0;
  std::uint32_t thread_count_ = 0;
  std::uint32_t live_ = 0;
  std::uint32_t outsiders_ = 0;  // when the run began
  std::uint32_t switches_ = 0;
  std::uint32_t preemptions_ = 0;
  // All in steps:
  std::uint32_t slice_start_ = 0;  // the last switch
  std::uint32_t question_at_ = 0;  // when the policy wants to be asked again
  std::uint32_t stalled_at_ = 0;   // since then, only spinning threads were there to run
  std::size_t looked_ = 0;         // events that spinning threads know of
  std::uint32_t suspects_ = 0;     // how many threads may spin
  std::uint32_t spinning_ = 0;     // ... and do
  std::uint32_t forgotten_ = 0;    // events, when spinners were looked at last
  std::uint64_t now_ = 0;
  std::uint64_t busy_ = 0;
  std::uint64_t wait_orders_ = 0;
  Thread* reporter_ = nullptr;   // who looks at the others
  const void* fault_ = nullptr;  // where it went wrong, if a signal said so
  Stack* wanted_stack_ = nullptr;
};

template <class Visit>
void Scheduler::for_each_blocker(const Thread& thread, Visit visit) {
  const Condition& condition = thread.condition;
  switch (condition.gate) {
    case Gate::kFree:
      for (const Share* share = condition.object->first_share; share != nullptr; share = share->next)
        visit(*share->reader);
      [[fallthrough]];
    case Gate::kUnowned:
      if (condition.object->owner != nullptr) visit(*condition.object->owner);
      return;
    case Gate::kNoWriter:
      if (condition.object->owner != nullptr) visit(*condition.object->owner);
      for (std::uint32_t i = 0; i < thread_count_; ++i)
        if (waits_at(Gate::kFree, *condition.object, threads_[i])) visit(threads_[i]);
      return;
    case Gate::kFinished:
      if (!condition.target->finished) visit(*condition.target);
      return;
    default: return;  // it does not take a certain thread
  }
}

extern __attribute__((visibility("hidden"))) Scheduler scheduler;

// The entries of std::atomic::wait: a new run begins; what lies in this memory next is something else.
void begin_waiter_pool();
void forget_waiters(std::uintptr_t begin, std::size_t size);

// If the calling thread is paused by weavefuzz_pause, it is no longer. No pause outlives its thread or the run.
void end_pause();
// Who the calling thread is while it is paused; nullptr if it is not.
Thread* paused_thread();

// Learn of memory that the program frees.
void watch_frees();

// Runs the newest handler that C code of `thread`, which is `self`, has pushed.
[[noreturn]] void jump_to_cleanup(Thread& thread);

// Where the program is: its frames from `caller` outwards.
void take_stack(Stack& stack, const void* caller);

}  // namespace weavefuzz::runtime
