// Condition variables. For threads under control, waiting is entirely a matter of the model. A notification
// is also sent for real: a thread that was started before the run may wait for it.
#include <pthread.h>

#include <cerrno>

#include "instrumentation/runtime/interpose.h"

WEAVEFUZZ_DECLARE_REAL(pthread_cond_init)
WEAVEFUZZ_DECLARE_REAL(pthread_cond_destroy)
WEAVEFUZZ_DECLARE_REAL(pthread_cond_wait)
WEAVEFUZZ_DECLARE_REAL(pthread_cond_timedwait)
WEAVEFUZZ_DECLARE_REAL(pthread_cond_clockwait)
WEAVEFUZZ_DECLARE_REAL(pthread_cond_signal)
WEAVEFUZZ_DECLARE_REAL(pthread_cond_broadcast)

namespace weavefuzz::runtime {

namespace {

int wait(pthread_cond_t& condition, pthread_mutex_t& mutex, EventKind kind, std::uint64_t deadline,
         const void* caller) {
  Object& waited = scheduler.object(&condition);
  Object& lock = scheduler.object(&mutex);
  scheduler.reach({.kind = kind, .address = address_of(&condition), .caller = caller});
  if (lock.owner != self) return EPERM;
  release_mutex(mutex, lock);
  self->wait_mutex = &lock;
  self->wait_order = scheduler.next_wait_order();
  const Readiness how = scheduler.reach({.kind = EventKind::kWake, .address = address_of(&condition), .caller = caller},
                                        {.gate = Gate::kNotified, .object = &waited, .deadline = deadline});
  // A notified thread was resumed because the mutex is free; one that woke for another reason must wait for it.
  if (how != Readiness::kReady)
    scheduler.reach({.kind = EventKind::kWake, .address = address_of(&mutex), .caller = caller},
                    {.gate = Gate::kFree, .object = &lock});
  acquire_mutex(mutex, lock, caller);
  return how == Readiness::kTimeout ? ETIMEDOUT : 0;
}

// Does a pthread_cond_t measure its deadlines on the monotonic clock? (pthread_condattr_setclock)
bool is_monotonic(const pthread_cond_t& condition) { return (condition.__data.__wrefs & 2) != 0; }

}  // namespace

extern "C" int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) noexcept {
  if (self != nullptr) scheduler.forget_object(condition);
  return WEAVEFUZZ_REAL(pthread_cond_init)(condition, attributes);
}

extern "C" int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  if (self != nullptr) scheduler.forget_object(condition);
  return WEAVEFUZZ_REAL(pthread_cond_destroy)(condition);
}

extern "C" int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_cond_wait, condition, mutex);
  return wait(*condition, *mutex, EventKind::kWait, kNever, WEAVEFUZZ_CALLER());
}

extern "C" int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_cond_timedwait, condition, mutex, deadline);
  if (!is_valid_fraction(*deadline)) return EINVAL;
  const clockid_t clock = is_monotonic(*condition) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  return wait(*condition, *mutex, EventKind::kTimedWait, virtual_deadline(clock, *deadline), WEAVEFUZZ_CALLER());
}

extern "C" int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                      const timespec* deadline) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_cond_clockwait, condition, mutex, clock, deadline);
  if (!can_wait_on(clock) || !is_valid_fraction(*deadline)) return EINVAL;
  return wait(*condition, *mutex, EventKind::kTimedWait, virtual_deadline(clock, *deadline), WEAVEFUZZ_CALLER());
}

extern "C" int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_cond_signal, condition);
  Object& object = scheduler.object(condition);
  scheduler.reach({.kind = EventKind::kSignal, .address = address_of(condition), .caller = WEAVEFUZZ_CALLER()});
  Thread* waiter = scheduler.choose_waiter(object);
  object.missed = waiter == nullptr ? object.missed + 1 : 0;
  if (waiter != nullptr) scheduler.notify(*waiter);
  return WEAVEFUZZ_REAL(pthread_cond_signal)(condition);
}

extern "C" int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_cond_broadcast, condition);
  Object& object = scheduler.object(condition);
  scheduler.reach({.kind = EventKind::kBroadcast, .address = address_of(condition), .caller = WEAVEFUZZ_CALLER()});
  object.missed = scheduler.notify_all(object) == 0 ? object.missed + 1 : 0;
  return WEAVEFUZZ_REAL(pthread_cond_broadcast)(condition);
}

}  // namespace weavefuzz::runtime
