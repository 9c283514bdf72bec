// Threads, the objects they wait for, and the loop that asks the policy who moves next.
#pragma once
#include <unwind.h>

#include <array>
#include <cstdint>

#include "instrumentation/runtime/numbering.h"
#include "instrumentation/runtime/recorder.h"
#include "instrumentation/runtime/runtime.h"
#include "instrumentation/runtime/spinning.h"
#include "instrumentation/runtime/threads.h"

namespace weavefuzz::runtime {

inline constexpr std::size_t kMaxThreads = 1024;
inline constexpr std::size_t kMaxObjects = std::size_t{1} << 14;
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

// A mutex, condition variable, once flag ... as the model sees it.
struct Object {
  std::uintptr_t address = 0;
  std::uint32_t run = 0;     // the run that it was last seen in; its state is from there
  Thread* owner = nullptr;   // mutex: who holds it; once: who is initialising
  std::uint32_t depth = 0;   // recursive mutex: how often
  std::uint32_t shares = 0;  // read-write lock: how many hold it for reading
  std::uint32_t count = 0;   // semaphore: its value; barrier: how many have come
  std::uint32_t missed = 0;  // condition: notifications sent while nobody waited
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

struct Condition {
  Gate gate = Gate::kOpen;
  Object* object = nullptr;
  Thread* target = nullptr;
  std::uint64_t deadline = kNever;  // virtual nanoseconds; when it passes the thread goes on regardless
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

struct Thread {
  ThreadId id;
  bool started = false;
  bool finished = false;
  bool detached = false;
  bool joined = false;
  bool yields = false;         // lets others go first, once
  bool spins = false;          // ... and until something changes
  std::uint8_t haste = 0;      // of the clock, while nobody can do anything but read it
  Spinner* spinner = nullptr;  // if it is suspected
  std::uint32_t look_at = 0;   // steps, when to look whether it is
  std::uint32_t look_interval = kShortestLookInterval;
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
  Thread* choose_waiter(const Object& condition);
  void notify(Thread& waiter);
  std::size_t notify_all(const Object& condition);  // how many there were

  [[noreturn]] void finding(Verdict verdict, const char* what);
  void request_finding();
  [[noreturn]] void refuse(const char* call, const char* reason, const void* caller = nullptr);

  // The operation that `self` has just carried out changed nothing: a try that failed.
  void note_futile() { recorder.last().futile = true; }

  std::uint64_t now() const { return now_; }
  // Time that all threads have spent on doing something, not on waiting.
  std::uint64_t busy() const { return busy_; }
  // Reading a clock takes time, too.
  void spend_time(std::uint64_t nanoseconds);
  std::uint64_t next_wait_order() { return ++wait_orders_; }
  bool on() const { return on_; }
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
  void decide(bool arrived);
  void ask_again(const Thread& next);
  void fire_timeout(Thread& thread);
  std::size_t collect_candidates(std::size_t& ready);
  void switch_to(Thread& next);
  void after_switch();
  void check_for_deadlock(const Thread& thread);
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

  std::array<Thread, kMaxThreads> threads_{};
  std::array<Object, kMaxObjects> objects_{};              // hashed by address
  std::array<std::uint32_t, kMaxObjects> object_order_{};  // slots of this run's, as they were first used
  std::array<Stack, kMaxObjects> owner_stacks_{};          // where each mutex was taken; only with record_stacks
  std::array<Spinner, kMaxThreads> spinners_{};            // by thread
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

extern __attribute__((visibility("hidden"))) Scheduler scheduler;

// Learn of memory that the program frees.
void watch_frees();

// Where the program is: its frames from `caller` outwards.
void take_stack(Stack& stack, const void* caller);

}  // namespace weavefuzz::runtime
