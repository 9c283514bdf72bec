// The scheduler's part of spinning: who is suspected, who lets others go first for that, what ends it, and when it can
// never end. See docs/time.md.
#include <unwind.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "instrumentation/runtime/scheduler.h"

namespace weavefuzz::runtime {

namespace {

// After so many steps of others a spinning thread gets a chance although nothing that it looks at has changed: it may
// not spin after all, or wait for something that code without hooks changes.
constexpr std::uint32_t kRest = 512;
// So many steps of nothing but spinning, by threads that come back to the same state, are a livelock. Coming back is
// proof, but for what code without hooks does; the number is for that.
constexpr std::uint32_t kLivelockSteps = 20'000;
// A reading of the clock that nobody but the reader waits for takes at most 2^32 times as long as others.
constexpr std::uint8_t kMostHaste = 32;
// Beyond this the stack of a thread is not compared.
constexpr std::size_t kLargestStack = std::size_t{1} << 16;

bool may_leave_memory_alone(const RawEvent& event) {
  return traits(event.kind).event_class == EventClass::kMemory && traits(event.kind).writes && event.size > 0 &&
         event.size <= Circle::kLargestValue;
}

// Of the calling thread: the frames that are there, and those of functions that it just called.
StackRange stack_of(const Thread& thread) {
  constexpr std::uintptr_t kCalled = 4096;
  return {reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - kCalled,
          reinterpret_cast<std::uintptr_t>(thread.base_frame)};
}

const void* memory_of(const RawEvent& event) { return reinterpret_cast<const void*>(event.address); }

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E37'79B9'7F4A'7C15U;
  return hash ^ (hash >> 29);
}

// Of all that a thread has for itself where it called us: the registers that it may rely on, and its stack. 0 if that
// cannot be told. To be compared with others of this thread only.
std::uint64_t private_state(const Thread& thread) {
#if defined(__x86_64__)
  static constexpr int kRegisters[] = {3, 6, 12, 13, 14, 15};
#else
  static constexpr int kRegisters[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#endif
  struct Walk {
    const Thread& thread;
    std::uint64_t hash = 0;
  };
  const auto visit = [](_Unwind_Context* context, void* argument) {
    Walk& walk = *static_cast<Walk*>(argument);
    if (reinterpret_cast<const void*>(_Unwind_GetIP(context)) != walk.thread.pending.caller) return _URC_NO_REASON;
    const auto* word = reinterpret_cast<const std::uint64_t*>(_Unwind_GetCFA(context));
    const auto* end = reinterpret_cast<const std::uint64_t*>(walk.thread.base_frame);
    if (word > end || static_cast<std::size_t>(end - word) > kLargestStack / sizeof *word) return _URC_END_OF_STACK;
    walk.hash = mix(1, reinterpret_cast<std::uintptr_t>(walk.thread.pending.caller));
    for (const int number : kRegisters) walk.hash = mix(walk.hash, _Unwind_GetGR(context, number));
    for (; word < end; ++word) walk.hash = mix(walk.hash, *word);
    return _URC_END_OF_STACK;
  };
  const Unscheduled guard;  // the unwinder takes locks of its own
  const int saved_errno = errno;
  Walk walk{thread};
  _Unwind_Backtrace(visit, &walk);
  errno = saved_errno;
  return walk.hash;
}

}  // namespace

// `me` is about to do something.
void Scheduler::look_for_spinning(Thread& me) {
  if (forgotten_ != recorder.forgotten()) forget_spinners();
  Spinner& spinner = spinners_[me.id.value];
  if (me.spinner != nullptr) {
    judge_last_event(me);
  } else if (recorder.steps() >= me.look_at) {
    if (spinner.circle.suspect(recorder.events(), static_cast<std::uint16_t>(me.id.value), stack_of(me))) {
      spinner = {.circle = spinner.circle};
      me.spinner = &spinner;
      ++suspects_;
    }
    me.look_at = recorder.steps() + me.look_interval;
    me.look_interval = std::min(2 * me.look_interval, kLongestLookInterval);
  }
  if (spinning_ > 0) disturb_spinners();
  if (me.spinner == nullptr) return;
  const Circle& circle = spinner.circle;
  if (!circle.suspected() || !circle.contains(me.pending.site, me.pending.address, me.pending.kind)) {
    stop_spinning(me);
  } else if (circle.closed() && !me.spins) {
    me.spins = true;
    me.look_interval = kShortestLookInterval;
    ++spinning_;
    looked_ = spinning_ == 1 ? recorder.events().size() : looked_;
  }
}

void Scheduler::judge_last_event(Thread& me) {
  Spinner& spinner = *me.spinner;
  if (spinner.last == nullptr) return;
  // Nobody else ran since: what is there now is what the event left there.
  if (spinner.compares)
    spinner.last->futile = std::memcmp(spinner.before, memory_of(*spinner.last), spinner.last->size) == 0;
  spinner.circle.follow(*spinner.last);
  spinner.last = nullptr;
  spinner.compares = false;
  spinner.ran_at = recorder.steps();
}

// `event` is recorded and about to happen.
void Scheduler::remember_event(Spinner& spinner, RawEvent& event) {
  spinner.last = &event;
  spinner.compares = may_leave_memory_alone(event) && spinner.circle.contains(event.site, event.address, event.kind);
  if (spinner.compares) std::memcpy(spinner.before, memory_of(event), event.size);
}

// Whatever happened since the last look may be what somebody waits for.
void Scheduler::disturb_spinners() {
  const auto events = recorder.events().subspan(looked_);
  looked_ = recorder.events().size();
  const bool stalled = self->spins;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    Thread& thread = threads_[i];
    if (!thread.spins) continue;
    Spinner& spinner = *thread.spinner;
    const bool has_rested = !stalled && recorder.steps() - spinner.ran_at >= kRest;
    const auto disturbs = [&](const RawEvent& event) {
      return event.thread != i && spinner.circle.is_disturbed_by(event);
    };
    if (!has_rested && std::ranges::none_of(events, disturbs)) continue;
    wake_spinner(thread);
  }
}

// It stays under suspicion.
void Scheduler::wake_spinner(Thread& thread) {
  if (!thread.spins) return;
  thread.spins = false;
  thread.haste = 0;
  --spinning_;
  thread.spinner->circle.doubt();
  thread.spinner->state = thread.spinner->states = 0;
  thread.spinner->recurs = false;
}

void Scheduler::stop_spinning(Thread& thread) {
  if (thread.spinner == nullptr) return;
  wake_spinner(thread);
  thread.spinner->circle.leave();
  thread.spinner = nullptr;
  --suspects_;
}

void Scheduler::forget_spinners() {
  for (std::uint32_t i = 0; i < thread_count_; ++i) stop_spinning(threads_[i]);
  suspects_ = spinning_ = 0;
  looked_ = 0;
  forgotten_ = recorder.forgotten();
}

bool Scheduler::anybody_has_a_deadline() const {
  return std::any_of(threads_.begin(), threads_.begin() + thread_count_, [this](const Thread& thread) {
    return !thread.finished && thread.condition.deadline != kNever && !open(thread);
  });
}

void Scheduler::fire_timeout(Thread& thread) {
  now_ = std::max(now_, thread.condition.deadline);
  for (std::uint32_t i = 0; i < thread_count_ && spinning_ > 0; ++i)
    if (threads_[i].spins && spinners_[i].circle.reads_clock()) wake_spinner(threads_[i]);
}

// A thread that spins until some time, while all others wait, waits for nothing but that: let it come sooner and
// sooner.
void Scheduler::spend_time(std::uint64_t nanoseconds) {
  Thread& me = *self;
  const bool hurries = me.spins && !anybody_has_a_deadline();
  me.haste = hurries ? std::min<std::uint8_t>(me.haste + 1, kMostHaste) : 0;
  now_ += nanoseconds << me.haste;
  busy_ += nanoseconds << me.haste;
}

// `me` spins. If nobody can do anything else, if nobody waits for a time to come, and if each spinning thread comes
// back to a state that it was in before, it is for ever.
void Scheduler::check_for_livelock(Thread& me) {
  Spinner& mine = *me.spinner;
  if (thread_count_ == 1 || recorder.steps() - mine.checked_at < kSpinSlice) return;
  mine.checked_at = recorder.steps();
  if (!mine.recurs) {
    const std::uint64_t state = private_state(me);
    mine.recurs = state != 0 && state == mine.state;
    // Compared with the state at a power of two of visits, which in the end is far enough back.
    if ((mine.states & (mine.states + 1)) == 0) mine.state = state;
    ++mine.states;
  }
  if (recorder.steps() - stalled_at_ < kLivelockSteps || anybody_has_a_deadline()) return;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    const Thread& thread = threads_[i];
    const Spinner& spinner = spinners_[i];
    if (thread.finished || (!thread.spins && !open(thread))) continue;
    if (!thread.spins || !spinner.recurs || spinner.circle.reads_clock() || spinner.circle.opaque()) return;
  }
  finding(Verdict::kLivelock, "all threads that can run wait for a change that nobody will make");
}

}  // namespace weavefuzz::runtime
