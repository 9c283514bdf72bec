// Semaphores, named ones too. The real semaphore's value is the model: it may have been set before the run, or by
// another process. A thread waits until the value is above zero, then takes from the real one.
#include <semaphore.h>

#include <cerrno>

#include "instrumentation/runtime/interpose.h"

WEAVEFUZZ_DECLARE_REAL(sem_init)
WEAVEFUZZ_DECLARE_REAL(sem_close)
WEAVEFUZZ_DECLARE_REAL(sem_wait)
WEAVEFUZZ_DECLARE_REAL(sem_trywait)
WEAVEFUZZ_DECLARE_REAL(sem_timedwait)
WEAVEFUZZ_DECLARE_REAL(sem_clockwait)
WEAVEFUZZ_DECLARE_REAL(sem_post)
WEAVEFUZZ_DECLARE_REAL(sem_getvalue)

namespace weavefuzz::runtime {

namespace {

// Past TSan, which would see an order in it.
bool is_positive(const void* semaphore) {
  int value = 0;
  WEAVEFUZZ_LIBC(sem_getvalue)(static_cast<sem_t*>(const_cast<void*>(semaphore)), &value);
  return value > 0;
}

int fail(int error) {
  errno = error;
  return -1;
}

int take(sem_t& semaphore, std::uint64_t deadline, const void* caller) {
  Object& object = scheduler.object(&semaphore);
  object.noun = "semaphore";
  const Op op{.kind = EventKind::kSemaphoreWait, .address = address_of(&semaphore), .caller = caller};
  const Condition condition{
      .gate = Gate::kAsked, .object = &object, .deadline = deadline, .holds = is_positive, .context = &semaphore};
  do {
    if (scheduler.reach(op, condition) == Readiness::kTimeout) return fail(ETIMEDOUT);
  } while (WEAVEFUZZ_REAL(sem_trywait)(&semaphore) != 0);  // somebody outside the run was faster
  return 0;
}

int timed_take(sem_t& semaphore, clockid_t clock, const timespec& deadline, const void* caller) {
  if (!is_valid_fraction(deadline) || !can_wait_on(clock)) return fail(EINVAL);
  return take(semaphore, virtual_deadline(clock, deadline), caller);
}

}  // namespace

extern "C" int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  if (self != nullptr) scheduler.forget_object(semaphore);
  return WEAVEFUZZ_REAL(sem_init)(semaphore, shared, value);
}

// Its memory may go back to the system, and another semaphore may come to lie there, or elsewhere.
extern "C" int sem_close(sem_t* semaphore) noexcept {
  const int result = WEAVEFUZZ_REAL(sem_close)(semaphore);
  if (self != nullptr && result == 0) {
    scheduler.forget_object(semaphore);
    scheduler.forget_memory(semaphore, sizeof *semaphore);
  }
  return result;
}

extern "C" int sem_wait(sem_t* semaphore) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sem_wait, semaphore);
  return take(*semaphore, kNever, WEAVEFUZZ_CALLER());
}

extern "C" int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sem_timedwait, semaphore, deadline);
  return timed_take(*semaphore, CLOCK_REALTIME, *deadline, WEAVEFUZZ_CALLER());
}

extern "C" int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sem_clockwait, semaphore, clock, deadline);
  return timed_take(*semaphore, clock, *deadline, WEAVEFUZZ_CALLER());
}

extern "C" int sem_trywait(sem_t* semaphore) noexcept {
  if (self != nullptr) {
    scheduler.reach(
        {.kind = EventKind::kSemaphoreWait, .address = address_of(semaphore), .caller = WEAVEFUZZ_CALLER()});
    if (!is_positive(semaphore)) return fail(scheduler.futile(EAGAIN));
  }
  const auto real = WEAVEFUZZ_REAL(sem_trywait);
  [[clang::musttail]] return real(semaphore);
}

extern "C" int sem_post(sem_t* semaphore) noexcept {
  if (self != nullptr)
    scheduler.reach(
        {.kind = EventKind::kSemaphorePost, .address = address_of(semaphore), .caller = WEAVEFUZZ_CALLER()});
  const auto real = WEAVEFUZZ_REAL(sem_post);
  [[clang::musttail]] return real(semaphore);
}

extern "C" int sem_getvalue(sem_t* semaphore, int* value) noexcept {
  if (self != nullptr)
    scheduler.reach(
        {.kind = EventKind::kSemaphoreRead, .address = address_of(semaphore), .caller = WEAVEFUZZ_CALLER()});
  const auto real = WEAVEFUZZ_REAL(sem_getvalue);
  [[clang::musttail]] return real(semaphore, value);
}

}  // namespace weavefuzz::runtime
