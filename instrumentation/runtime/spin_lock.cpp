// Spin locks. A thread that would spin waits in the model instead.
#include <pthread.h>

#include <cerrno>

#include "instrumentation/runtime/interpose.h"

WEAVEFUZZ_DECLARE_REAL(pthread_spin_init)
WEAVEFUZZ_DECLARE_REAL(pthread_spin_destroy)
WEAVEFUZZ_DECLARE_REAL(pthread_spin_lock)
WEAVEFUZZ_DECLARE_REAL(pthread_spin_trylock)
WEAVEFUZZ_DECLARE_REAL(pthread_spin_unlock)

namespace weavefuzz::runtime {

namespace {

bool is_held(int lock) {
#if defined(__x86_64__)
  return lock <= 0;
#else
  return lock != 0;
#endif
}

void forget(pthread_spinlock_t* lock) { scheduler.forget_object(const_cast<int*>(lock)); }

// The model's view of `lock`, brought in line with the real one.
Object& model_of(pthread_spinlock_t* lock, const char* call, const void* caller) {
  Object& object = scheduler.object(const_cast<int*>(lock));
  if (object.owner != nullptr && !is_held(*lock)) {  // other memory now
    forget(lock);
  } else if (object.owner == nullptr && is_held(*lock)) {
    scheduler.refuse(call,
                     "the spin lock was never initialised, or locked before the run began, or by a thread that is not "
                     "under control",
                     caller);
  }
  object.noun = "spin lock";
  return object;
}

}  // namespace

extern "C" int pthread_spin_init(pthread_spinlock_t* lock, int shared) noexcept {
  if (self != nullptr) forget(lock);
  return WEAVEFUZZ_REAL(pthread_spin_init)(lock, shared);
}

extern "C" int pthread_spin_destroy(pthread_spinlock_t* lock) noexcept {
  if (self != nullptr) forget(lock);
  return WEAVEFUZZ_REAL(pthread_spin_destroy)(lock);
}

extern "C" int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  if (self != nullptr) {
    Object& object = model_of(lock, "pthread_spin_lock", WEAVEFUZZ_CALLER());
    scheduler.reach({.kind = EventKind::kLock, .address = address_of(lock), .caller = WEAVEFUZZ_CALLER()},
                    {.gate = Gate::kFree, .object = &object});
    own(object, WEAVEFUZZ_CALLER());
  }
  const auto real = WEAVEFUZZ_REAL(pthread_spin_lock);
  [[clang::musttail]] return real(lock);
}

extern "C" int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  if (self != nullptr) {
    Object& object = model_of(lock, "pthread_spin_trylock", WEAVEFUZZ_CALLER());
    scheduler.reach({.kind = EventKind::kTryLock, .address = address_of(lock), .caller = WEAVEFUZZ_CALLER()});
    if (object.owner != nullptr) return scheduler.futile(EBUSY);
    own(object, WEAVEFUZZ_CALLER());
  }
  const auto real = WEAVEFUZZ_REAL(pthread_spin_trylock);
  [[clang::musttail]] return real(lock);
}

extern "C" int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  if (self != nullptr) {
    Object& object = scheduler.object(const_cast<int*>(lock));
    scheduler.reach({.kind = EventKind::kUnlock, .address = address_of(lock), .caller = WEAVEFUZZ_CALLER()});
    disown(object);
  }
  const auto real = WEAVEFUZZ_REAL(pthread_spin_unlock);
  [[clang::musttail]] return real(lock);
}

}  // namespace weavefuzz::runtime
