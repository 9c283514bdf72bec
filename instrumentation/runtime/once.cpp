// One-time initialisation: pthread_once (and so std::call_once) and function-local statics.
#include <cxxabi.h>
#include <pthread.h>
#include <threads.h>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/libraries.h"
#include "instrumentation/runtime/sanitizers.h"

WEAVEFUZZ_DECLARE_REAL(pthread_once)

namespace weavefuzz::runtime {

namespace {

// Waits until nobody initialises `object`.
Object& enter_once(const volatile void* flag, const void* caller) {
  Object& object = scheduler.object(const_cast<const void*>(flag));
  object.noun = "initialisation";
  scheduler.reach({.kind = EventKind::kOnceEnter, .address = address_of(flag), .caller = caller},
                  {.gate = Gate::kFree, .object = &object});
  tsan_acquire(const_cast<void*>(flag));  // an attempt that failed comes before the next one, too
  return object;
}

void leave_once(Object& object, const void* caller) {
  tsan_release(reinterpret_cast<void*>(object.address));
  scheduler.reach({.kind = EventKind::kOnceLeave, .address = object.address, .caller = caller});
  object.owner = nullptr;
}

// What a finished pthread_once_t holds: TSan replaces glibc's function and has a value of its own.
int once_done() { return has_tsan() ? 1 : 2; }

void run_once(pthread_once_t* once, void (*initialise)(), const void* caller) {
  Object& object = enter_once(once, caller);
  if (*once == once_done()) return;
  object.owner = self;
  // An exception leaves the flag as it was: the next caller tries again.
  struct Attempt {
    Object& object;
    bool succeeded = false;
    ~Attempt() {
      if (succeeded) return;
      tsan_release(reinterpret_cast<void*>(object.address));
      object.owner = nullptr;
    }
  } attempt{object};
  initialise();
  attempt.succeeded = true;
  *once = once_done();
  leave_once(object, caller);
}

}  // namespace

extern "C" int pthread_once(pthread_once_t* once, void (*initialise)()) {
  const void* caller = WEAVEFUZZ_CALLER();
  if (is_in_unwinder(caller)) return WEAVEFUZZ_LIBC(pthread_once)(once, initialise);
  if (self == nullptr || is_in_cxx_library(caller)) return WEAVEFUZZ_REAL(pthread_once)(once, initialise);
  run_once(once, initialise, caller);
  return 0;
}

// glibc's flags are the same thing. TSan knows only the pthread call.
extern "C" void call_once(once_flag* flag, void (*initialise)()) {
  static_assert(sizeof(once_flag) == sizeof(pthread_once_t));
  auto* const once = reinterpret_cast<pthread_once_t*>(flag);
  if (self == nullptr) {
    WEAVEFUZZ_REAL(pthread_once)(once, initialise);
  } else {
    run_once(once, initialise, WEAVEFUZZ_CALLER());
  }
}

// Function-local statics. TSan's own definitions cannot be replaced, so these are put before them with the
// linker's --wrap.
using Guard = __cxxabiv1::__guard;

extern "C" {

int __real___cxa_guard_acquire(Guard* guard);
void __real___cxa_guard_release(Guard* guard) noexcept;
void __real___cxa_guard_abort(Guard* guard) noexcept;

int __wrap___cxa_guard_acquire(Guard* guard) {
  if (self == nullptr) return __real___cxa_guard_acquire(guard);
  Object& object = enter_once(guard, WEAVEFUZZ_CALLER());
  // Nobody in the run is at it, so this waits at most for a thread that is not under control; and such a thread
  // finds the guard taken, and waits for the release by futex.
  const bool is_ours = [guard] {
    const Unscheduled unscheduled;
    return __real___cxa_guard_acquire(guard) != 0;
  }();
  if (is_ours) object.owner = self;
  return is_ours ? 1 : 0;
}

void __wrap___cxa_guard_release(Guard* guard) noexcept {
  {
    const Unscheduled unscheduled;
    __real___cxa_guard_release(guard);
  }
  if (self != nullptr) leave_once(scheduler.object(guard), WEAVEFUZZ_CALLER());
}

void __wrap___cxa_guard_abort(Guard* guard) noexcept {
  {
    const Unscheduled unscheduled;
    __real___cxa_guard_abort(guard);
  }
  if (self != nullptr) leave_once(scheduler.object(guard), WEAVEFUZZ_CALLER());
}
}

}  // namespace weavefuzz::runtime
