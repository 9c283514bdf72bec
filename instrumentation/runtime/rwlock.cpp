// Read-write locks, and so std::shared_mutex and its relatives. As with mutexes, the model decides who gets one and
// the real lock is then taken. It is never waited for, so that it knows of no waiting writers: the model does.
#include <pthread.h>

#include <cerrno>

#include "instrumentation/runtime/interpose.h"

WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_init)
WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_destroy)
WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_rdlock)
WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_tryrdlock)
WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_timedrdlock)
WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_clockrdlock)
WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_wrlock)
WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_trywrlock)
WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_timedwrlock)
WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_clockwrlock)
WEAVEFUZZ_DECLARE_REAL(pthread_rwlock_unlock)

namespace weavefuzz::runtime {

namespace {

// Of __readers in glibc's pthread_rwlock_t.
constexpr unsigned kWriteLocked = 2;
constexpr unsigned kReaderShift = 3;
constexpr std::uint32_t kMostReaders = (1U << 28) - 1;

bool is_held(const pthread_rwlock_t& lock) {
  const unsigned state = lock.__data.__readers;
  return (state & kWriteLocked) != 0 || state >> kReaderShift != 0;
}

// Only this kind lets a waiting writer go ahead of new readers; glibc treats PREFER_WRITER_NP as the default.
bool prefers_writers(const pthread_rwlock_t& lock) {
  return lock.__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

bool is_free(const Object& object) { return object.owner == nullptr && object.shares == 0; }

// The model's view of `lock`, brought in line with the real one.
Object& model_of(pthread_rwlock_t& lock, const char* call, const void* caller) {
  Object& object = scheduler.object(&lock);
  if (!is_free(object) && !is_held(lock)) {  // other memory now: a lock may be dropped while it is held
    scheduler.forget_object(&lock);
  } else if (is_free(object) && is_held(lock)) {
    scheduler.refuse(
        call, "the read-write lock was locked before the run began, or by a thread that is not under control", caller);
  }
  object.noun = "read-write lock";
  return object;
}

// The following get `lock` in the model, or say why not. The real one is still to be taken.

int lock_to_read(pthread_rwlock_t& lock, std::uint64_t deadline, const char* call, const void* caller) {
  Object& object = model_of(lock, call, caller);
  const Op op{.kind = EventKind::kReadLock, .address = address_of(&lock), .caller = caller};
  if (object.owner == self) {
    scheduler.reach(op);
    return EDEADLK;
  }
  const Gate gate = prefers_writers(lock) ? Gate::kNoWriter : Gate::kUnowned;
  if (scheduler.reach(op, {.gate = gate, .object = &object, .deadline = deadline}) == Readiness::kTimeout)
    return ETIMEDOUT;
  if (object.shares == kMostReaders) return EAGAIN;
  scheduler.add_share(object, caller);
  return 0;
}

int lock_to_write(pthread_rwlock_t& lock, EventKind kind, std::uint64_t deadline, const char* call,
                  const void* caller) {
  Object& object = model_of(lock, call, caller);
  Op op{.kind = kind, .address = address_of(&lock), .caller = caller};
  if (object.owner == self) {
    scheduler.reach(op);
    return EDEADLK;
  }
  bool waits = true;
  if (prefers_writers(lock)) {  // from when it has come, it goes ahead of readers: an event of its own
    scheduler.reach(op);
    waits = !is_free(object);
    op.kind = EventKind::kWake;
  }
  if (waits &&
      scheduler.reach(op, {.gate = Gate::kFree, .object = &object, .deadline = deadline}) == Readiness::kTimeout)
    return ETIMEDOUT;
  own(object, caller);
  return 0;
}

// The real one is taken by the call that TSan knows; it has not heard of the clock calls.

int timed_lock_to_read(pthread_rwlock_t& lock, clockid_t clock, const timespec& deadline, const char* call,
                       const void* caller) {
  if (!is_valid_fraction(deadline) || !can_wait_on(clock)) return EINVAL;
  const int error = lock_to_read(lock, virtual_deadline(clock, deadline), call, caller);
  return error != 0 ? error : WEAVEFUZZ_REAL(pthread_rwlock_rdlock)(&lock);
}

int timed_lock_to_write(pthread_rwlock_t& lock, clockid_t clock, const timespec& deadline, const char* call,
                        const void* caller) {
  if (!is_valid_fraction(deadline) || !can_wait_on(clock)) return EINVAL;
  const int error = lock_to_write(lock, EventKind::kTimedLock, virtual_deadline(clock, deadline), call, caller);
  return error != 0 ? error : WEAVEFUZZ_REAL(pthread_rwlock_wrlock)(&lock);
}

}  // namespace

extern "C" int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) noexcept {
  if (self != nullptr) scheduler.forget_object(lock);
  return WEAVEFUZZ_REAL(pthread_rwlock_init)(lock, attributes);
}

extern "C" int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  if (self != nullptr) scheduler.forget_object(lock);
  return WEAVEFUZZ_REAL(pthread_rwlock_destroy)(lock);
}

// The tail calls let TSan see the program's own line as the place where it locked and unlocked.
extern "C" int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  if (self != nullptr) {
    const int error = lock_to_read(*lock, kNever, "pthread_rwlock_rdlock", WEAVEFUZZ_CALLER());
    if (error != 0) return error;
  }
  const auto real = WEAVEFUZZ_REAL(pthread_rwlock_rdlock);
  [[clang::musttail]] return real(lock);
}

extern "C" int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  if (self != nullptr) {
    const int error = lock_to_write(*lock, EventKind::kLock, kNever, "pthread_rwlock_wrlock", WEAVEFUZZ_CALLER());
    if (error != 0) return error;
  }
  const auto real = WEAVEFUZZ_REAL(pthread_rwlock_wrlock);
  [[clang::musttail]] return real(lock);
}

extern "C" int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  if (self != nullptr) {
    Object& object = model_of(*lock, "pthread_rwlock_tryrdlock", WEAVEFUZZ_CALLER());
    scheduler.reach({.kind = EventKind::kReadLock, .address = address_of(lock), .caller = WEAVEFUZZ_CALLER()});
    if (object.owner != nullptr || (prefers_writers(*lock) && scheduler.is_awaited(Gate::kFree, object)))
      return scheduler.futile(EBUSY);
    if (object.shares == kMostReaders) return EAGAIN;
    scheduler.add_share(object, WEAVEFUZZ_CALLER());
  }
  const auto real = WEAVEFUZZ_REAL(pthread_rwlock_tryrdlock);
  [[clang::musttail]] return real(lock);
}

extern "C" int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  if (self != nullptr) {
    Object& object = model_of(*lock, "pthread_rwlock_trywrlock", WEAVEFUZZ_CALLER());
    scheduler.reach({.kind = EventKind::kTryLock, .address = address_of(lock), .caller = WEAVEFUZZ_CALLER()});
    if (!is_free(object)) return scheduler.futile(EBUSY);
    own(object, WEAVEFUZZ_CALLER());
  }
  const auto real = WEAVEFUZZ_REAL(pthread_rwlock_trywrlock);
  [[clang::musttail]] return real(lock);
}

extern "C" int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_rwlock_timedrdlock, lock, deadline);
  return timed_lock_to_read(*lock, CLOCK_REALTIME, *deadline, "pthread_rwlock_timedrdlock", WEAVEFUZZ_CALLER());
}

extern "C" int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_rwlock_clockrdlock, lock, clock, deadline);
  return timed_lock_to_read(*lock, clock, *deadline, "pthread_rwlock_clockrdlock", WEAVEFUZZ_CALLER());
}

extern "C" int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_rwlock_timedwrlock, lock, deadline);
  return timed_lock_to_write(*lock, CLOCK_REALTIME, *deadline, "pthread_rwlock_timedwrlock", WEAVEFUZZ_CALLER());
}

extern "C" int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_rwlock_clockwrlock, lock, clock, deadline);
  return timed_lock_to_write(*lock, clock, *deadline, "pthread_rwlock_clockwrlock", WEAVEFUZZ_CALLER());
}

extern "C" int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  if (self != nullptr) {
    Object& object = model_of(*lock, "pthread_rwlock_unlock", WEAVEFUZZ_CALLER());
    scheduler.reach({.kind = EventKind::kUnlock, .address = address_of(lock), .caller = WEAVEFUZZ_CALLER()});
    if (object.owner == self) {
      disown(object);
    } else if (object.shares > 0) {
      scheduler.drop_share(object);
    } else {  // glibc would count its readers wrongly from here on
      scheduler.finding(Verdict::kUndefinedBehaviour, object.owner == nullptr
                                                          ? "a read-write lock is unlocked that nobody holds"
                                                          : "a read-write lock is unlocked that another thread holds");
    }
  }
  const auto real = WEAVEFUZZ_REAL(pthread_rwlock_unlock);
  [[clang::musttail]] return real(lock);
}

}  // namespace weavefuzz::runtime
