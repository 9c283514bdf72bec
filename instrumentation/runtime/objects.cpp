// The scheduler's part about the objects that threads wait for: finding them, who holds them, whom they wake.
#include <algorithm>

#include "instrumentation/runtime/scheduler.h"

namespace weavefuzz::runtime {

namespace {

std::size_t object_slot(std::uintptr_t address) {
  return (address * 0x9E37'79B9'7F4A'7C15U) >> (64 - 14);  // below kMaxObjects
}

}  // namespace

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
  if (found == nullptr || found->run != run_) return;
  drop_all_shares(*found);
  *found = {.address = found->address, .run = run_};
}

void Scheduler::add_share(Object& lock, const void* caller) {
  ++lock.shares;
  Share* share = lock.first_share;
  while (share != nullptr && share->reader != self) share = share->next;
  if (share == nullptr) {
    if (unused_shares_ != nullptr) {
      share = unused_shares_;
      unused_shares_ = share->next;
    } else if (share_count_ < kMaxShares) {
      share = &shares_[share_count_++];
    } else {
      refuse("read-write lock", "more locks are held for reading at the same time than the runtime can hold", caller);
    }
    *share = {.reader = self, .next = lock.first_share};
    lock.first_share = share;
  }
  if (++share->depth == 1 && settings_.record_stacks)
    take_stack(share_stacks_[static_cast<std::size_t>(share - shares_.data())], caller);
}

void Scheduler::drop_share(Object& lock) {
  --lock.shares;
  Share** link = &lock.first_share;
  while (*link != nullptr && (*link)->reader != self) link = &(*link)->next;
  if (*link == nullptr) link = &lock.first_share;
  Share* share = *link;
  if (--share->depth != 0) return;
  *link = share->next;
  share->next = unused_shares_;
  unused_shares_ = share;
}

void Scheduler::drop_all_shares(Object& lock) {
  while (lock.shares > 0) drop_share(lock);
}

bool Scheduler::is_awaited(Gate gate, const Object& object) const {
  return std::any_of(threads_.begin(), threads_.begin() + thread_count_,
                     [&](const Thread& thread) { return waits_at(gate, object, thread); });
}

bool Scheduler::waits_for(const Thread& thread, const Object& condition, std::uint32_t bits) {
  return waits_at(Gate::kNotified, condition, thread) && (thread.condition.bits & bits) != 0;
}

Thread* Scheduler::choose_waiter(const Object& condition, std::uint32_t bits) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < thread_count_; ++i)
    if (waits_for(threads_[i], condition, bits))
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

void Scheduler::requeue(Thread& waiter, Object& other) {
  waiter.condition.object = &other;
  waiter.pending.address = other.address;
  waiter.variable = numbering_.number(other.address);
}

std::size_t Scheduler::notify_all(const Object& condition, std::uint32_t bits) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    Thread& thread = threads_[i];
    if (!waits_for(thread, condition, bits)) continue;
    notify(thread);
    ++count;
  }
  return count;
}

}  // namespace weavefuzz::runtime
