#include "instrumentation/runtime/scheduler.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>

#include "instrumentation/runtime/keys.h"
#include "instrumentation/runtime/sanitizers.h"
#include "instrumentation/runtime/sites.h"
#include "instrumentation/runtime/tsan_state.h"

namespace weavefuzz::runtime {

__thread Thread* self = nullptr;
constinit Scheduler scheduler;

namespace {

Identity main_identity;

std::size_t object_slot(std::uintptr_t address) {
  return (address * 0x9E37'79B9'7F4A'7C15U) >> (64 - 14);  // below kMaxObjects
}

// As a policy sees it.
PendingOp pending_op(const Thread& thread) {
  const Op& op = thread.pending;
  return {op.kind, op.site != nullptr ? SiteKey{op.site->key} : key_of_kind(op.kind), thread.variable};
}

// The site alone says where the program is; otherwise it takes the callers.
bool has_own_line(const weavefuzz_site* site) {
  return site != nullptr && (site->flags & WEAVEFUZZ_SITE_SYSTEM_HEADER) == 0;
}

}  // namespace

void Scheduler::initialise(const Settings& settings, FindingHandler on_finding, RefusalHandler on_refusal) {
  settings_ = settings;
  settings_.max_threads = std::min<std::uint32_t>(settings_.max_threads, kMaxThreads);
  on_finding_ = on_finding;
  on_refusal_ = on_refusal;
  switcher_ = settings.backend == Backend::kCarrier ? &carrier_switcher() : &os_switcher();
  adopt_calling_thread(main_identity);
  recorder.initialise(settings.max_steps, settings.record_stacks);
  watch_frees();
  initialise_tsan_state();
  end_of_linked_program();
}

void Scheduler::run(Policy& policy, const Schedule& schedule, void (*body)(void*), void* context) {
  policy_ = &policy;
  policy.start(schedule);
  forget_accesses(recorder.events());
  align_tsan_log();
  recorder.begin();
  numbering_.begin();
  begin_thread_locals();
  release_all_identities();
  ++run_;
  object_count_ = 0;
  thread_count_ = live_ = 1;
  switches_ = preemptions_ = slice_start_ = 0;
  now_ = wait_orders_ = 0;
  Thread& main = threads_[0];
  main = Thread{};
  main.started = true;
  begin_signals(main.signals);
  main.identity = &main_identity;
  main_identity.thread = &main;
  on_ = true;
  self = &main;

  // The harness's frames start at the same distance from the end of the stack in every process, and so on a page
  // boundary, as those of other threads do: which variables share an address must not depend on where the kernel
  // put the stack, and a stack overflow is to come at the same depth.
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(main_identity.stack_base) - here;
  volatile char* pad = static_cast<char*>(__builtin_alloca(kRoomForMain - distance % kRoomForMain));
  pad[0] = 0;
  body(context);
  end_pause();

  // Threads that the harness left behind get to end; those that cannot are a finding.
  reach({.kind = EventKind::kReturn}, {.gate = Gate::kAlone});
  self = nullptr;
  on_ = false;
  // Whatever a thread of this run did happened before everything in the next one.
  for (std::uint32_t i = 1; i < thread_count_; ++i) tsan_acquire(&threads_[i].identity->happens_before);
}

// Can it go on, if only to run the handler of a signal?
bool Scheduler::open(const Thread& thread) const { return holds(thread.condition) || has_signal(thread.signals); }

bool Scheduler::holds(const Condition& condition) const {
  switch (condition.gate) {
    case Gate::kOpen: return true;
    case Gate::kFree: return condition.object->owner == nullptr && condition.object->shares == 0;
    case Gate::kUnowned: return condition.object->owner == nullptr;
    case Gate::kPositive: return condition.object->count > 0;
    case Gate::kAsked: return condition.holds(condition.context);
    case Gate::kFinished: return condition.target->finished;
    case Gate::kAlone: return live_ == 1;
    case Gate::kNotified:
    case Gate::kClock: return false;
  }
  return false;
}

Readiness Scheduler::reach(const Op& op, const Condition& condition) {
  if (finding_requested_) [[unlikely]]
    finding(Verdict::kSanitizer, "");
  Thread& me = *self;
  if (has_signal(me.signals)) [[unlikely]]
    deliver_signals();
  me.condition = condition;
  me.resumed_as = Readiness::kReady;
  me.pending = op;
  const bool can_go_on = open(me);
  if (recorder.due() || !can_go_on || me.yields) {
    me.variable = numbering_.number(op.address);
    if (!can_go_on) check_for_deadlock(me);
    decide(true);
    me.yields = false;
    while (me.resumed_as == Readiness::kReady && !holds(me.condition)) [[unlikely]]
      be_interrupted();
  }
  const bool timed_out = me.resumed_as == Readiness::kTimeout && me.condition.gate != Gate::kClock;
  RawEvent& event = recorder.append();
  event = {me.pending.site,
           me.pending.address,
           me.pending.size,
           static_cast<std::uint16_t>(me.id.value),
           timed_out ? EventKind::kTimedOut : me.pending.kind,
           0};
  if (Stack* stack = recorder.stack_slot()) {
    if (has_own_line(op.site)) {
      *stack = {};
    } else {
      take_stack(*stack, op.caller);
    }
  }
  me.condition = {};
  return me.resumed_as;
}

// A signal came while the thread waited. Its handler runs, and the thread waits on.
void Scheduler::be_interrupted() {
  Thread& me = *self;
  if (me.condition.gate == Gate::kNotified || me.condition.gate == Gate::kClock) {
    me.resumed_as = Readiness::kSpurious;
    return;
  }
  const Condition condition = me.condition;
  const Op op = me.pending;
  Object* const wait_mutex = me.wait_mutex;
  deliver_signals();
  me.condition = condition;
  me.pending = op;
  me.wait_mutex = wait_mutex;
  me.variable = numbering_.number(op.address);
  me.resumed_as = Readiness::kReady;
  if (holds(me.condition)) return;
  check_for_deadlock(me);
  decide(true);
  me.yields = false;
}

// Fills `candidates_`: the ready ones by thread, then those whose time-out could fire, earliest first,
// then those that could wake for no reason.
std::size_t Scheduler::collect_candidates(std::size_t& ready) {
  std::size_t count = 0;
  const auto add = [&](const Thread& thread, Readiness readiness) {
    candidates_[count++] = {thread.id, readiness, pending_op(thread)};
  };
  bool waiting = false;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    const Thread& thread = threads_[i];
    if (thread.finished) continue;
    if (!open(thread)) {
      waiting = true;
    } else if (!thread.yields) {
      add(thread, Readiness::kReady);
    }
  }
  if (count == 0 && self != nullptr && self->yields && !self->finished && open(*self)) add(*self, Readiness::kReady);
  ready = count;
  if (!waiting) return count;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    const Thread& thread = threads_[i];
    if (!thread.finished && thread.condition.deadline != kNever && !open(thread)) add(thread, Readiness::kTimeout);
  }
  std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(ready),
            candidates_.begin() + static_cast<std::ptrdiff_t>(count), [this](const Candidate& a, const Candidate& b) {
              const std::uint64_t first = threads_[a.thread.value].condition.deadline;
              const std::uint64_t second = threads_[b.thread.value].condition.deadline;
              return first != second ? first < second : a.thread < b.thread;
            });
  if (!settings_.spurious_wakeups || count == 0) return count;
  for (std::uint32_t i = 0; i < thread_count_; ++i)
    if (!threads_[i].finished && threads_[i].condition.gate == Gate::kNotified) add(threads_[i], Readiness::kSpurious);
  return count;
}

// Chooses who moves next and lets it. Returns when the caller has been chosen; not at all if it ended.
void Scheduler::decide(bool arrived) {
  Thread& me = *self;
  if (recorder.full()) {
    if (live_ > 1) finding(Verdict::kLivelock, "the run did not end within the step limit");
    recorder.forget();
  }
  const bool used_up = recorder.steps() - slice_start_ >= kFairSlice;
  if (used_up) me.yields = true;

  Question question;
  const std::size_t count = collect_candidates(question.ready);
  if (count == 0) nothing_can_run();
  question.candidates = {candidates_.data(), count};
  question.arrived = arrived;
  question.thread = me.id;
  question.op = pending_op(me);
  for (std::size_t i = 0; i < question.ready; ++i)
    if (candidates_[i].thread == me.id) question.current = i;

  const Choice choice = policy_->pick(question);
  const Candidate& chosen = candidates_[choice.index];
  Thread& next = threads_[chosen.thread.value];
  next.resumed_as = chosen.readiness;
  if (chosen.readiness == Readiness::kTimeout) now_ = std::max(now_, next.condition.deadline);
  if (used_up) slice_start_ = recorder.steps();
  recorder.ask_after(has_signal(next.signals) ? 1 : 1 + std::min(choice.quiet, kFairSlice));
  me.yields = false;
  if (&next != &me) {
    ++switches_;
    if (arrived && open(me)) ++preemptions_;
    switch_to(next);
  }
}

void Scheduler::switch_to(Thread& next) {
  Thread& me = *self;
  slice_start_ = recorder.steps();
  if (me.finished) {
    self = nullptr;
    switcher_->leave(*me.identity, *next.identity);
    return;
  }
  switcher_->pass(*me.identity, *next.identity);
  after_switch();
}

// A thread that was resumed only to be looked at goes back to waiting.
void Scheduler::after_switch() {
  while (wanted_stack_ != nullptr) [[unlikely]] {
    Thread& me = *self;
    take_stack(*wanted_stack_, me.pending.caller);
    wanted_stack_ = nullptr;
    switcher_->pass(*me.identity, *reporter_->identity);
  }
}

Thread* Scheduler::spawn(void* (*start)(void*), void* argument, std::size_t stack_size, bool detached,
                         const void* caller) {
  if (thread_count_ >= settings_.max_threads)
    refuse("pthread_create", "the run started more threads than -max_threads allows", caller);
  reach({.kind = EventKind::kSpawn, .address = thread_count_, .caller = caller});
  Identity* identity = take_identity(stack_size);
  if (identity == nullptr) return nullptr;
  Thread& thread = threads_[thread_count_];
  thread = Thread{};
  thread.id = ThreadId{thread_count_++};
  thread.detached = detached;
  thread.identity = identity;
  thread.start = start;
  thread.argument = argument;
  thread.pending = {.kind = EventKind::kStart, .address = thread.id.value};
  thread.signals.blocked = self->signals.blocked;
  thread.variable = numbering_.number(thread.id.value);
  if (settings_.record_stacks) take_stack(thread.created, caller);
  if (++live_ == 2) recorder.limit_steps();
  identity->thread = &thread;
  *identity->self = &thread;
  switcher_->prepare(*identity);
  tsan_release(&identity->happens_before);
  return &thread;
}

Thread* Scheduler::find(pthread_t handle) {
  for (std::uint32_t i = thread_count_; i-- > 0;)
    if (pthread_equal(threads_[i].identity->handle, handle)) return &threads_[i];
  return nullptr;
}

Thread* Scheduler::find_by_number(pid_t number) {
  for (std::uint32_t i = 0; i < thread_count_; ++i)
    if (threads_[i].identity->number() == number) return &threads_[i];
  return nullptr;
}

extern "C" void weavefuzz_logical_thread(Thread* thread) { scheduler.body_of_thread(*thread); }

void Scheduler::body_of_thread(Thread& thread) {
  after_switch();
  thread.started = true;
  thread.base_frame = static_cast<char*>(__builtin_frame_address(0));
  tsan_acquire(&thread.identity->happens_before);
  align_tsan_log();
  errno = 0;
  reset_thread_locals();
  recorder.append() = {nullptr, thread.id.value, 0, static_cast<std::uint16_t>(thread.id.value), EventKind::kStart, 0};
  if (Stack* stack = recorder.stack_slot()) *stack = {};
  if (__builtin_setjmp(thread.exit_point) == 0) thread.result = thread.start(thread.argument);
  end_pause();
  finish_thread(thread);
}

void Scheduler::end_thread_early(void* result) {
  Thread& me = *self;
  me.result = result;
  me.unwinding = {};
  const auto stop = [](int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
                       _Unwind_Context* context, void* argument) -> _Unwind_Reason_Code {
    Thread& thread = *static_cast<Thread*>(argument);
    const auto frame = reinterpret_cast<char*>(_Unwind_GetCFA(context));
    if ((actions & _UA_END_OF_STACK) != 0 || frame >= thread.base_frame) __builtin_longjmp(thread.exit_point, 1);
    return _URC_NO_REASON;
  };
  _Unwind_ForcedUnwind(&me.unwinding, stop, &me);
  refuse("pthread_exit", "the stack could not be unwound");
}

void Scheduler::finish_thread(Thread& thread) {
  destroy_thread_locals(thread);
  thread.signals.blocked = ~std::uint64_t{0};  // nothing is left that a handler could use
  reach({.kind = EventKind::kExit, .address = thread.id.value});
  thread.finished = true;
  if (--live_ == 1) recorder.lift_limit();
  tsan_release(&thread.identity->happens_before);
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    const Thread& other = threads_[i];
    if (!other.finished && other.condition.gate == Gate::kFree && other.condition.deadline == kNever &&
        other.condition.object->owner == &thread)
      finding(Verdict::kDeadlock, "a thread ended while it held a mutex that another waits for");
  }
  decide(false);
}

// The slot of the object at `address`, or the one that it would get; nullptr if there is neither.
Object* Scheduler::slot_for(std::uintptr_t address) {
  for (std::size_t i = object_slot(address), probes = 0; probes < kMaxObjects; i = (i + 1) % kMaxObjects, ++probes)
    if (objects_[i].run != run_ || objects_[i].address == address) return &objects_[i];
  return nullptr;
}

Object& Scheduler::object(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  Object* found = slot_for(address);
  if (found == nullptr)
    refuse("synchronization object", "one run used more mutexes and condition variables than the runtime can hold");
  if (found->run != run_) {
    *found = {.address = address, .run = run_};
    object_order_[object_count_++] = static_cast<std::uint32_t>(found - objects_.data());
  }
  return *found;
}

void Scheduler::forget_object(const void* memory) {
  Object* found = slot_for(reinterpret_cast<std::uintptr_t>(memory));
  if (found != nullptr && found->run == run_) *found = {.address = found->address, .run = run_};
}

Thread* Scheduler::choose_waiter(const Object& condition) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < thread_count_; ++i)
    if (!threads_[i].finished && threads_[i].condition.gate == Gate::kNotified &&
        threads_[i].condition.object == &condition)
      candidates_[count++] = {threads_[i].id, Readiness::kReady, {threads_[i].pending.kind, {}, threads_[i].variable}};
  if (count == 0) return nullptr;
  if (count == 1) return &threads_[candidates_[0].thread.value];
  std::sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count),
            [this](const Candidate& a, const Candidate& b) {
              return threads_[a.thread.value].wait_order < threads_[b.thread.value].wait_order;
            });
  Question question;
  question.kind = QuestionKind::kWakeup;
  question.candidates = {candidates_.data(), count};
  question.ready = count;
  return &threads_[candidates_[policy_->pick(question).index].thread.value];
}

void Scheduler::notify(Thread& waiter) {
  if (waiter.wait_mutex == nullptr) {
    waiter.condition = {};
    return;
  }
  waiter.pending.address = waiter.wait_mutex->address;
  waiter.variable = numbering_.number(waiter.pending.address);
  waiter.condition = {.gate = Gate::kFree, .object = waiter.wait_mutex};
  if (!open(waiter)) check_for_deadlock(waiter);
}

std::size_t Scheduler::notify_all(const Object& condition) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    Thread& thread = threads_[i];
    if (thread.finished || thread.condition.gate != Gate::kNotified || thread.condition.object != &condition) continue;
    notify(thread);
    ++count;
  }
  return count;
}

RunStats Scheduler::stats() const {
  return {recorder.steps(),
          switches_,
          preemptions_,
          thread_count_,
          policy_ == nullptr ? 0 : static_cast<std::uint32_t>(policy_->unused_switches()),
          recorder.forgotten()};
}

void Scheduler::finding(Verdict verdict, const char* what) {
  on_finding_(verdict, what);
  __builtin_trap();
}

void Scheduler::request_finding() {
  finding_requested_ = true;
  recorder.ask_after(0);
}

void Scheduler::refuse(const char* call, const char* reason, const void* caller) {
  on_refusal_(call, reason, caller);
  __builtin_trap();
}

// `thread` has just blocked. A circle of threads that wait for each other must contain it.
void Scheduler::check_for_deadlock(const Thread& thread) {
  const Thread* next = &thread;
  for (std::uint32_t steps = 0; steps <= thread_count_; ++steps) {
    const Condition& condition = next->condition;
    if (condition.deadline != kNever || open(*next)) return;
    if (condition.gate == Gate::kFree) {
      next = condition.object->owner;
    } else if (condition.gate == Gate::kFinished) {
      next = condition.target;
    } else {
      return;
    }
    if (next->finished) finding(Verdict::kDeadlock, "a thread ended while it held a mutex that another waits for");
    if (next == &thread) finding(Verdict::kDeadlock, "threads wait for each other in a circle");
  }
}

void Scheduler::nothing_can_run() {
  bool missed = false;
  bool waits = false;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    const Thread& thread = threads_[i];
    if (thread.finished || thread.condition.gate != Gate::kNotified) continue;
    waits = true;
    missed = missed || thread.condition.object->missed > 0;
  }
  if (threads_[0].condition.gate == Gate::kAlone)
    finding(Verdict::kThreadLeak, "the harness returned, and a thread that it started can never end");
  if (missed) finding(Verdict::kLostWakeup, "a notification was sent before anybody waited for it, and never again");
  finding(Verdict::kDeadlock,
          waits ? "nobody is left to notify a condition variable that a thread waits for" : "no thread can go on");
}

}  // namespace weavefuzz::runtime
