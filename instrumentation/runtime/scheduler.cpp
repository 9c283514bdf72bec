#include "instrumentation/runtime/scheduler.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>

#include "instrumentation/runtime/descriptors.h"
#include "instrumentation/runtime/keys.h"
#include "instrumentation/runtime/sanitizers.h"
#include "instrumentation/runtime/sites.h"
#include "instrumentation/runtime/tsan_state.h"

namespace weavefuzz::runtime {

__thread Thread* self = nullptr;
constinit Scheduler scheduler;
constinit Settings Scheduler::settings_;

namespace {

Identity main_identity;

constexpr const char* kEndedAsHolder = "a thread ended while it held a lock that another waits for";

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
  for (std::uint32_t i = 0; i < object_count_; ++i) {
    const Object& object = objects_[object_order_[i]];
    if (object.owner == nullptr && object.shares == 0) forget_lock_order(object.address);
  }
  align_tsan_log();
  recorder.begin();
  numbering_.begin();
  begin_thread_locals();
  begin_waiter_pool();
  begin_descriptors();
  release_all_identities();
  ++run_;
  object_count_ = share_count_ = 0;
  unused_shares_ = nullptr;
  outsiders_ = outsiders();
  thread_count_ = live_ = 1;
  switches_ = preemptions_ = slice_start_ = question_at_ = stalled_at_ = 0;
  now_ = busy_ = wait_orders_ = 0;
  forget_spinners();
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
  main.base_frame = reinterpret_cast<char*>(here);
  body(context);
  end_pause();

  // Threads that the harness left behind get to end; those that cannot are a finding.
  reach({.kind = EventKind::kReturn}, {.gate = Gate::kAlone});
  self = nullptr;
  on_ = false;
  // Whatever a thread of this run did happened before everything in the next one.
  for (std::uint32_t i = 1; i < thread_count_; ++i) tsan_acquire(&threads_[i].identity->happens_before);
}

bool Scheduler::holds(const Condition& condition) const {
  switch (condition.gate) {
    case Gate::kOpen: return true;
    case Gate::kFree: return condition.object->owner == nullptr && condition.object->shares == 0;
    case Gate::kUnowned: return condition.object->owner == nullptr;
    case Gate::kNoWriter: return condition.object->owner == nullptr && !is_awaited(Gate::kFree, *condition.object);
    case Gate::kReached: return condition.object->count >= condition.goal;
    case Gate::kAsked: return condition.holds(condition.context);
    case Gate::kFinished: return condition.target->finished;
    case Gate::kAlone: return live_ == 1;
    case Gate::kNotified:
    case Gate::kClock: return false;
  }
  return false;
}

void Scheduler::arrive() {
  if (finding_requested_) [[unlikely]]
    finding(Verdict::kSanitizer, "");
  Thread& me = *self;
  if (recorder.due() || me.yields) consider(me, true);
  record(me, me.pending.kind);
}

Readiness Scheduler::arrive_at_gate() {
  if (finding_requested_) [[unlikely]]
    finding(Verdict::kSanitizer, "");
  Thread& me = *self;
  me.resumed_as = Readiness::kReady;
  const bool can_go_on = open(me);
  if (recorder.due() || !can_go_on || me.yields) consider(me, can_go_on);
  while (has_signal(me.signals) && me.resumed_as == Readiness::kReady && !holds(me.condition)) [[unlikely]]
    be_interrupted();
  const bool timed_out = me.resumed_as == Readiness::kTimeout && me.condition.gate != Gate::kClock;
  record(me, timed_out ? EventKind::kTimedOut : me.pending.kind);
  me.condition = {};
  return me.resumed_as;
}

// Something is due: to look whether the thread spins, or to decide who goes on.
void Scheduler::consider(Thread& me, bool can_go_on) {
  const std::uint32_t steps = recorder.steps();
  if (suspects_ > 0 || steps >= me.look_at) look_for_spinning(me);
  if (can_go_on && !me.yields && !me.spins && !recorder.full() && steps < question_at_) {
    ask_again(me, steps);
    return;
  }
  me.variable = numbering_.number(me.pending.address);
  if (!can_go_on) check_for_deadlock(me);
  decide(true);
  me.yields = false;
}

void Scheduler::record(const Thread& thread, EventKind kind) {
  const Op& op = thread.pending;
  RawEvent& event = recorder.append();
  event = {op.site, op.address, op.size, static_cast<std::uint16_t>(thread.id.value), kind, false};
  if (thread.spinner != nullptr) [[unlikely]]
    remember_event(*thread.spinner, event);
  if (Stack* stack = recorder.stack_slot()) {
    if (has_own_line(op.site)) {
      *stack = {};
    } else {
      take_stack(*stack, op.caller);
    }
  }
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
// then those that could wake for no reason. Spinning threads count as ready only if nobody else is; if that goes on for
// a while, time goes on.
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
    } else if (!thread.yields && !thread.spins) {
      add(thread, Readiness::kReady);
    }
  }
  const auto add_self_if_it_yields = [&](bool spinning) {
    if (count == 0 && self->yields && self->spins == spinning && !self->finished && open(*self))
      add(*self, Readiness::kReady);
  };
  add_self_if_it_yields(false);
  const bool stalled = count == 0 && spinning_ > 0;
  if (stalled && (recorder.steps() - stalled_at_ < kSpinSlice || !anybody_has_a_deadline())) {
    for (std::uint32_t i = 0; i < thread_count_; ++i)
      if (threads_[i].spins && !threads_[i].finished && !threads_[i].yields && open(threads_[i]))
        add(threads_[i], Readiness::kReady);
    add_self_if_it_yields(true);
  }
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
  if (!settings_.spurious_wakeups || count == 0 || stalled) return count;
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
  const std::uint32_t steps = recorder.steps();
  if (!me.spins) stalled_at_ = steps;
  const bool used_up = steps - slice_start_ >= (me.spins ? kSpinSlice : kFairSlice);
  if (used_up) me.yields = true;
  if (me.spins) check_for_livelock(me);

  Question question;
  std::size_t count = collect_candidates(question.ready);
  if (count == 0 && look_at_descriptors_again()) count = collect_candidates(question.ready);
  if (count == 0 && give_up_on_outside()) count = collect_candidates(question.ready);
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
  if (chosen.readiness == Readiness::kTimeout) fire_timeout(next);
  question_at_ = steps + 1 + (has_signal(next.signals) ? 0 : std::min(choice.quiet, kFairSlice));
  ask_again(next, steps);
  me.yields = false;
  if (used_up || &next != &me) slice_start_ = steps;
  if (&next != &me) {
    ++switches_;
    if (arrived && open(me) && !me.spins) ++preemptions_;
    switch_to(next);
  }
}

// When `next` has to come by again: at the policy's question, or earlier because it may be spinning.
void Scheduler::ask_again(const Thread& next, std::uint32_t steps) {
  recorder.ask_after(next.spinner != nullptr ? 1 : std::min(question_at_ - steps, next.look_interval));
}

void Scheduler::switch_to(Thread& next) {
  Thread& me = *self;
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
  thread.look_at += recorder.steps();
  thread.identity = identity;
  thread.start = start;
  thread.argument = argument;
  thread.pending = {.kind = EventKind::kStart, .address = thread.id.value};
  thread.signals.blocked = self->signals.blocked;
  thread.variable = numbering_.number(thread.id.value);
  if (settings_.record_stacks) take_stack(thread.created, caller);
  if (++live_ == 2) {
    recorder.limit_steps();
    question_at_ = 0;
  }
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
  recorder.append() = {nullptr, thread.id.value, 0, static_cast<std::uint16_t>(thread.id.value), EventKind::kStart,
                       false};
  if (Stack* stack = recorder.stack_slot()) *stack = {};
  thread.tsan_calls = tsan_calls();
  if (__builtin_setjmp(thread.exit_point) == 0) thread.result = thread.start(thread.argument);
  end_pause();
  leave_tsan_calls(thread.tsan_calls);
  finish_thread(thread);
}

// Unwinds the stack, frame by frame. Where C code has pushed a cleanup handler in a frame, a jump goes there; the
// handler then comes back here (__pthread_unwind_next) for the rest.
void Scheduler::end_thread_early() {
  Thread& me = *self;
  me.unwinding = {};
  const auto stop = [](int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
                       _Unwind_Context* context, void* argument) -> _Unwind_Reason_Code {
    Thread& thread = *static_cast<Thread*>(argument);
    const auto frame = reinterpret_cast<char*>(_Unwind_GetCFA(context));
    const bool is_last = (actions & _UA_END_OF_STACK) != 0 || frame >= thread.base_frame;
    if (thread.cleanups != nullptr && (is_last || frame > reinterpret_cast<char*>(thread.cleanups)))
      jump_to_cleanup(thread);
    if (is_last) __builtin_longjmp(thread.exit_point, 1);
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
  stop_spinning(thread);
  if (--live_ == 1) recorder.lift_limit();
  tsan_release(&thread.identity->happens_before);
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    const Thread& other = threads_[i];
    if (other.finished || other.condition.deadline != kNever) continue;
    for_each_blocker(other, [&](const Thread& blocker) {
      if (&blocker == &thread) finding(Verdict::kDeadlock, kEndedAsHolder);
    });
  }
  decide(false);
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
void Scheduler::check_for_deadlock(Thread& thread) {
  ++searches_;
  std::uint32_t count = 0;
  waited_for_[count++] = &thread;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Thread& waiter = *waited_for_[i];
    if (waiter.condition.deadline != kNever || open(waiter)) continue;
    for_each_blocker(waiter, [&](Thread& blocker) {
      if (blocker.finished) finding(Verdict::kDeadlock, kEndedAsHolder);
      if (&blocker == &thread) finding(Verdict::kDeadlock, "threads wait for each other in a circle");
      if (blocker.search == searches_) return;
      blocker.search = searches_;
      waited_for_[count++] = &blocker;
    });
  }
}

void Scheduler::nothing_can_run() {
  bool missed = false;
  bool waits = false;
  bool receives = false;
  bool outsider_could_help = false;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    const Thread& thread = threads_[i];
    if (thread.finished) continue;
    receives = receives || is_about_descriptors(thread.pending.kind);
    const Gate gate = thread.condition.gate;
    outsider_could_help = outsider_could_help || gate == Gate::kNotified || gate == Gate::kAsked;
    if (gate != Gate::kNotified) continue;
    waits = true;
    missed = missed || thread.condition.object->missed > 0;
  }
  if (outsider_could_help && has_outsiders())
    refuse("threads outside the run",
           "no thread of the run can go on, and waiting for a thread that was started before it is not supported",
           self->pending.caller);
  if (threads_[0].condition.gate == Gate::kAlone)
    finding(Verdict::kThreadLeak, "the harness returned, and a thread that it started can never end");
  if (missed) finding(Verdict::kLostWakeup, "a notification was sent before anybody waited for it, and never again");
  finding(Verdict::kDeadlock, waits      ? "nobody is left to wake a thread that waits for a notification"
                              : receives ? "nobody is left to do what a thread waits for at a descriptor"
                                         : "no thread can go on");
}

}  // namespace weavefuzz::runtime
