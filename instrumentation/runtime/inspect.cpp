// Looking at a run from outside: for reports.
#include <unwind.h>

#include <cerrno>

#include "instrumentation/runtime/sanitizers.h"
#include "instrumentation/runtime/scheduler.h"
#include "instrumentation/runtime/sites.h"

namespace weavefuzz::runtime {

void take_stack(Stack& stack, const void* caller) {
  struct Walk {
    Stack& stack;
    const void* caller;
    std::size_t depth = 0;
    bool found = false;
  };
  const Unscheduled guard;  // the unwinder takes locks of its own
  const int saved_errno = errno;
  const auto visit = [](_Unwind_Context* context, void* argument) {
    Walk& walk = *static_cast<Walk*>(argument);
    const auto* address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
    if (address == nullptr) return _URC_END_OF_STACK;
    // Frames of the runtime itself come first: they end where the program called it.
    if (address == walk.caller && !walk.found) {
      walk.found = true;
      walk.depth = 0;
    }
    if (walk.depth < kStackDepth) walk.stack[walk.depth++] = address;
    return _URC_NO_REASON;
  };
  stack = {};
  Walk walk{stack, caller};
  _Unwind_Backtrace(visit, &walk);
  for (std::size_t i = walk.depth; i < kStackDepth; ++i) stack[i] = nullptr;
  errno = saved_errno;
}

void Scheduler::forget_memory(const volatile void* memory, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  recorder.note({nullptr, address, static_cast<std::uint32_t>(size), static_cast<std::uint16_t>(self->id.value),
                 EventKind::kFree, false});
  numbering_.forget(address, size);
  forget_waiters(address, size);
  for (std::uint32_t i = 0; i < object_count_; ++i) {
    Object& object = objects_[object_order_[i]];
    if (object.address - address < size) object.missed = 0;
  }
}

void Scheduler::remember_owner_stack(const Object& object, const void* caller) {
  if (settings_.record_stacks) take_stack(owner_stacks_[static_cast<std::size_t>(&object - objects_.data())], caller);
}

void Scheduler::stop_for_report(const void* fault) {
  reporter_ = self;
  fault_ = fault;
  self = nullptr;
}

ThreadId Scheduler::current() const {
  const Thread* thread = self != nullptr ? self : reporter_;
  return thread == nullptr ? ThreadId{} : thread->id;
}

ThreadView Scheduler::look_at(ThreadId id) {
  Thread& thread = threads_[id.value];
  ThreadView view;
  view.id = id;
  view.created = thread.created;
  if (thread.finished) {
    view.activity = Activity::kFinished;
    return view;
  }
  view.op = thread.pending.kind;
  view.object = thread.pending.address;
  const Condition& condition = thread.condition;
  const bool is_reporter = &thread == reporter_;
  view.activity = !open(thread)  ? Activity::kBlocked
                  : thread.spins ? Activity::kSpinning
                  : is_reporter  ? Activity::kRunning
                                 : Activity::kReady;
  if (condition.object != nullptr) view.noun = condition.object->noun;
  for_each_blocker(thread, [&](const Thread& blocker) {
    view.has_holder = true;
    view.holder = blocker.id;
  });
  view.holder_waits = condition.gate == Gate::kNoWriter && condition.object->owner == nullptr;
  if (condition.gate == Gate::kReached) view.missing = condition.goal - condition.object->count;
  if (condition.gate == Gate::kNotified) {
    view.waits_for_notify = true;
    view.object = condition.object->address;
    view.missed_notifications = condition.object->missed;
  }
  if (is_reporter) {
    take_stack(view.stack, fault_ != nullptr ? fault_ : thread.pending.caller);
  } else if (thread.started) {
    // The thread takes its own stack, as only it can, and gives control back.
    wanted_stack_ = &view.stack;
    switcher_->pass(*reporter_->identity, *thread.identity);
  }
  return view;
}

template <class Visit>
void Scheduler::for_each_held_lock(Visit visit) const {
  for (std::uint32_t i = 0; i < object_count_; ++i) {
    const Object& object = objects_[object_order_[i]];
    if (object.owner != nullptr)
      visit(HeldLock{object.address, object.noun, false, object.owner->id, owner_stacks_[object_order_[i]]});
    for (const Share* share = object.first_share; share != nullptr; share = share->next)
      visit(HeldLock{object.address, object.noun, true, share->reader->id,
                     share_stacks_[static_cast<std::size_t>(share - shares_.data())]});
  }
}

std::size_t Scheduler::held_lock_count() const {
  std::size_t count = 0;
  for_each_held_lock([&](const HeldLock&) { ++count; });
  return count;
}

HeldLock Scheduler::held_lock(std::size_t index) const {
  HeldLock found;
  for_each_held_lock([&](const HeldLock& lock) {
    if (index-- == 0) found = lock;
  });
  return found;
}

// The public face of the runtime.

void initialise(const Settings& settings, FindingHandler on_finding, RefusalHandler on_refusal) {
  scheduler.initialise(settings, on_finding, on_refusal);
}

void run(Policy& policy, const Schedule& schedule, void (*body)(void*), void* context) {
  scheduler.run(policy, schedule, body, context);
}

void after_fork() {
  // The carrier needs only their stacks and thread pointers, which a fork copies.
  if (scheduler.settings().backend == Backend::kOs) abandon_identities();
}

Uncontrolled::Uncontrolled() : saved_(self) { self = nullptr; }
Uncontrolled::~Uncontrolled() { self = static_cast<Thread*>(saved_); }

void request_finding() { scheduler.request_finding(); }

bool controlled() { return self != nullptr; }
bool running() { return scheduler.on(); }
std::span<const RawEvent> events() { return recorder.events(); }
const Stack* stack_of_event(std::size_t index) { return recorder.stack_of(index); }
RunStats stats() { return scheduler.stats(); }
ThreadId current_thread() { return scheduler.current(); }
void stop_for_report(const void* fault) { scheduler.stop_for_report(fault); }
std::size_t thread_count() { return scheduler.thread_count(); }
ThreadView look_at(ThreadId thread) { return scheduler.look_at(thread); }
std::size_t held_lock_count() { return scheduler.held_lock_count(); }
HeldLock held_lock(std::size_t index) { return scheduler.held_lock(index); }

}  // namespace weavefuzz::runtime
