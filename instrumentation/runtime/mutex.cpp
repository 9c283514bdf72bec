// pthread mutexes, and so std::mutex and its relatives. The model decides who gets one; the real lock is
// then taken for good measure, so that it agrees with whatever looks at it outside, and TSan sees it.
#include <pthread.h>

#include <cerrno>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/libraries.h"

WEAVEFUZZ_DECLARE_REAL(pthread_mutex_init)
WEAVEFUZZ_DECLARE_REAL(pthread_mutex_destroy)
WEAVEFUZZ_DECLARE_REAL(pthread_mutex_lock)
WEAVEFUZZ_DECLARE_REAL(pthread_mutex_trylock)
WEAVEFUZZ_DECLARE_REAL(pthread_mutex_timedlock)
WEAVEFUZZ_DECLARE_REAL(pthread_mutex_clocklock)
WEAVEFUZZ_DECLARE_REAL(pthread_mutex_unlock)

namespace weavefuzz::runtime {

namespace {

enum class MutexType { kNormal = 0, kRecursive = 1, kErrorChecking = 2, kAdaptive = 3 };

constexpr int kTypeMask = 3;
constexpr int kRobust = 16;
constexpr int kPriorityCeiling = 64;

MutexType type_of(const pthread_mutex_t& mutex) { return static_cast<MutexType>(mutex.__data.__kind & kTypeMask); }

// The model's view of `mutex`, brought in line with the real one.
Object& model_of(pthread_mutex_t& mutex, const char* call, const void* caller) {
  if ((mutex.__data.__kind & kRobust) != 0)
    scheduler.refuse(call,
                     "robust mutexes are not supported; an ordinary one will do, and a thread that ends while it holds "
                     "it is a finding",
                     caller);
  if ((mutex.__data.__kind & kPriorityCeiling) != 0)
    scheduler.refuse(call, "PTHREAD_PRIO_PROTECT is not supported; PTHREAD_PRIO_INHERIT and PTHREAD_PRIO_NONE are",
                     caller);
  Object& object = scheduler.object(&mutex);
  const bool locked = mutex.__data.__lock != 0;
  if (object.owner != nullptr && !locked) {  // other memory now: a mutex may be dropped while it is held
    object.owner = nullptr;
    object.depth = 0;
  } else if (object.owner == nullptr && locked) {
    scheduler.refuse(call, "the mutex was locked before the run began, or by a thread that is not under control",
                     caller);
  }
  return object;
}

// Gets `mutex` in the model, or says why not. The real one is still to be taken.
int lock(pthread_mutex_t& mutex, EventKind kind, std::uint64_t deadline, const char* call, const void* caller) {
  Object& object = model_of(mutex, call, caller);
  const Op op{.kind = kind, .address = address_of(&mutex), .caller = caller};
  const MutexType type = type_of(mutex);
  if (object.owner == self && type == MutexType::kErrorChecking) {
    scheduler.reach(op);
    return EDEADLK;
  }
  if (object.owner == self && type == MutexType::kRecursive) {
    scheduler.reach(op);
  } else if (scheduler.reach(op, {.gate = Gate::kFree, .object = &object, .deadline = deadline}) ==
             Readiness::kTimeout) {
    return ETIMEDOUT;
  }
  own(object, caller);
  return 0;
}

// The same, without waiting.
int try_lock(pthread_mutex_t& mutex, EventKind kind, const char* call, const void* caller) {
  Object& object = model_of(mutex, call, caller);
  scheduler.reach({.kind = kind, .address = address_of(&mutex), .caller = caller});
  const bool again = object.owner == self && type_of(mutex) == MutexType::kRecursive;
  if (object.owner != nullptr && !again) return scheduler.futile(EBUSY);
  own(object, caller);
  return 0;
}

int timed_lock(pthread_mutex_t& mutex, clockid_t clock, const timespec& deadline, const char* call,
               const void* caller) {
  if (!can_wait_on(clock)) return EINVAL;
  // The time is looked at only by who has to wait.
  const int error = is_valid_fraction(deadline)
                        ? lock(mutex, EventKind::kTimedLock, virtual_deadline(clock, deadline), call, caller)
                        : try_lock(mutex, EventKind::kTimedLock, call, caller);
  if (error == EBUSY) return EINVAL;
  return error != 0 ? error : WEAVEFUZZ_REAL(pthread_mutex_lock)(&mutex);
}

}  // namespace

void acquire_mutex(pthread_mutex_t& mutex, Object& object, const void* caller) {
  own(object, caller);
  WEAVEFUZZ_REAL(pthread_mutex_lock)(&mutex);
}

void release_mutex(pthread_mutex_t& mutex, Object& object) {
  WEAVEFUZZ_REAL(pthread_mutex_unlock)(&mutex);
  disown(object);
}

extern "C" int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  if (self != nullptr) scheduler.forget_object(mutex);
  return WEAVEFUZZ_REAL(pthread_mutex_init)(mutex, attributes);
}

extern "C" int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  const int result = WEAVEFUZZ_REAL(pthread_mutex_destroy)(mutex);
  if (self != nullptr && result == 0) scheduler.forget_object(mutex);
  return result;
}

// The tail calls let TSan see the program's own line as the place where it locked and unlocked.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  const void* caller = WEAVEFUZZ_CALLER();
  if (is_in_unwinder(caller)) return WEAVEFUZZ_LIBC(pthread_mutex_lock)(mutex);
  if (self != nullptr && !is_in_allocator(caller)) {
    const int error = lock(*mutex, EventKind::kLock, kNever, "pthread_mutex_lock", caller);
    if (error != 0) return error;
  }
  const auto real = WEAVEFUZZ_REAL(pthread_mutex_lock);
  [[clang::musttail]] return real(mutex);
}

extern "C" int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_mutex_timedlock, mutex, deadline);
  return timed_lock(*mutex, CLOCK_REALTIME, *deadline, "pthread_mutex_timedlock", WEAVEFUZZ_CALLER());
}

extern "C" int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_mutex_clocklock, mutex, clock, deadline);
  return timed_lock(*mutex, clock, *deadline, "pthread_mutex_clocklock", WEAVEFUZZ_CALLER());
}

extern "C" int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  const void* caller = WEAVEFUZZ_CALLER();
  if (self != nullptr && !is_in_allocator(caller)) {
    const int error = try_lock(*mutex, EventKind::kTryLock, "pthread_mutex_trylock", caller);
    if (error != 0) return error;
  }
  const auto real = WEAVEFUZZ_REAL(pthread_mutex_trylock);
  [[clang::musttail]] return real(mutex);
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  const void* caller = WEAVEFUZZ_CALLER();
  if (is_in_unwinder(caller)) return WEAVEFUZZ_LIBC(pthread_mutex_unlock)(mutex);
  if (self != nullptr && !is_in_allocator(caller)) {
    Object& object = scheduler.object(mutex);
    scheduler.reach({.kind = EventKind::kUnlock, .address = address_of(mutex), .caller = caller});
    const MutexType type = type_of(*mutex);
    if (object.owner != self && (type == MutexType::kErrorChecking || type == MutexType::kRecursive)) return EPERM;
    disown(object);
  }
  const auto real = WEAVEFUZZ_REAL(pthread_mutex_unlock);
  [[clang::musttail]] return real(mutex);
}

}  // namespace weavefuzz::runtime
