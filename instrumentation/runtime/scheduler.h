// Threads, the objects they wait for, and the loop that asks the policy who moves next.
#pragma once
#include <unwind.h>

#include <array>
#include <cstdint>

#include "instrumentation/runtime/numbering.h"
#include "instrumentation/runtime/recorder.h"
#include "instrumentation/runtime/runtime.h"
#include "instrumentation/runtime/threads.h"

namespace weavefuzz::runtime {

inline constexpr std::size_t kMaxThreads = 1024;
inline constexpr std::size_t kMaxObjects = std::size_t{1} << 14;
inline constexpr std::uint64_t kNever = 0;  // as a deadline; virtual time starts above it
// A thread that ran for this many events while others could run lets them: a spinning thread would
// otherwise wait for ever under a policy that never preempts.
inline constexpr std::uint32_t kFairSlice = 5'000;

struct Thread;

// A mutex, condition variable, once flag ... as the model sees it.
struct Object {
  std::uintptr_t address = 0;
  std::uint32_t run = 0;     // the run that it was last seen in; its state is from there
  Thread* owner = nullptr;   // mutex: who holds it; once: who is initialising
  std::uint32_t depth = 0;   // recursive mutex: how often
  std::uint32_t shares = 0;  // read-write lock: how many hold it for reading
  std::uint32_t count = 0;   // semaphore: its value; barrier: how many have come; futex: its value at the last miss
  std::uint32_t missed = 0;  // condition, futex: notifications sent while nobody waited
};

// What must hold before a thread can carry out its pending operation.
enum class Gate : std::uint8_t {
  kOpen,
  kFree,      // nobody holds `object`
  kUnowned,   // nobody holds `object` for writing
  kPositive,  // the count of `object` is above 0
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
  bool (*holds)(const void* context) = nullptr;
  const void* context = nullptr;
};

struct ThreadLocalDestructor;

struct Thread {
  ThreadId id;
  bool started = false;
  bool finished = false;
  bool detached = false;
  bool joined = false;
  bool yields = false;  // lets others go first, once
  Readiness resumed_as = Readiness::kReady;
  Condition condition;
  std::uint64_t wait_order = 0;  // among those that wait for a notification
  Object* wait_mutex = nullptr;  // to be taken again after a notification; nullptr: none
  Op pending;
  VariableId variable;  // of the pending operation
  Identity* identity = nullptr;
  void* (*start)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  ThreadLocalDestructor* destructors = nullptr;  // newest first
  void* exit_point[5] = {};                      // __builtin_setjmp buffer: where pthread_exit ends up
  char* base_frame = nullptr;
  _Unwind_Exception unwinding = {};  // by pthread_exit
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
  // has been chosen and its event is recorded; the caller then carries it out at once.
  Readiness reach(const Op& op, const Condition& condition = {});

  Thread* spawn(void* (*start)(void*), void* argument, std::size_t stack_size, bool detached, const void* caller);
  // nullptr if no thread of this run has that handle.
  Thread* find(pthread_t handle);
  [[noreturn]] void end_thread_early(void* result);  // pthread_exit
  void body_of_thread(Thread& thread);

  Object& object(const void* address);
  void forget_object(const void* address);
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

  std::uint64_t now() const { return now_; }
  void advance(std::uint64_t nanoseconds) { now_ += nanoseconds; }
  std::uint64_t next_wait_order() { return ++wait_orders_; }
  bool on() const { return on_; }
  // Were there threads of the program outside the run, or are there?
  bool has_outsiders() const { return outsiders_ > 0 || outsiders() > 0; }
  const Settings& settings() const { return settings_; }
  RunStats stats() const;

  // For reports.
  void stop_for_report(const void* fault);
  std::size_t thread_count() const { return thread_count_; }
  ThreadView look_at(ThreadId id);
  ThreadId current() const;
  std::size_t held_lock_count() const;
  HeldLock held_lock(std::size_t index) const;
  void remember_owner_stack(const Object& object, const void* caller);

 private:
  bool open(const Thread& thread) const;
  static bool waits_for(const Thread& thread, const Object& condition, std::uint32_t bits);
  void decide(bool arrived);
  std::size_t collect_candidates(std::size_t& ready);
  void switch_to(Thread& next);
  void after_switch();
  void check_for_deadlock(const Thread& thread);
  [[noreturn]] void nothing_can_run();
  void finish_thread(Thread& thread);

  std::array<Thread, kMaxThreads> threads_{};
  std::array<Object, kMaxObjects> objects_{};              // hashed by address
  std::array<std::uint32_t, kMaxObjects> object_order_{};  // slots of this run's, as they were first used
  std::array<Stack, kMaxObjects> owner_stacks_{};          // where each mutex was taken; only with record_stacks
  std::array<Candidate, 2 * kMaxThreads> candidates_{};
  Numbering numbering_;
  Identity* main_identity_ = nullptr;
  std::uint32_t object_count_ = 0;

  Settings settings_;
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
  std::uint32_t slice_start_ = 0;  // event count at the last switch
  std::uint64_t now_ = 0;
  std::uint64_t wait_orders_ = 0;
  Thread* reporter_ = nullptr;   // who looks at the others
  const void* fault_ = nullptr;  // where it went wrong, if a signal said so
  Stack* wanted_stack_ = nullptr;
};

extern __attribute__((visibility("hidden"))) Scheduler scheduler;

// The entries of std::atomic::wait: a new run begins; what lies in this memory next is something else.
void begin_waiter_pool();
void forget_waiters(std::uintptr_t begin, std::size_t size);

// Learn of memory that the program frees.
void watch_frees();

// Where the program is: its frames from `caller` outwards.
void take_stack(Stack& stack, const void* caller);

}  // namespace weavefuzz::runtime
