// For the files that define interposed functions. Each of those stands in for a libc function, for the
// program and for every shared library; on a thread that is not under control it only forwards.
#pragma once
#include <pthread.h>
#include <time.h>

#include "instrumentation/runtime/real.h"
#include "instrumentation/runtime/sanitizers.h"
#include "instrumentation/runtime/scheduler.h"

// The rest of the function belongs to controlled threads; all others get the real one.
#define WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(name, ...) \
  if (::weavefuzz::runtime::self == nullptr) return WEAVEFUZZ_REAL(name)(__VA_ARGS__)

// Where the program called the interposed function that this stands in.
#define WEAVEFUZZ_CALLER() ::weavefuzz::runtime::line_of_program(__builtin_return_address(0))

namespace weavefuzz::runtime {

inline const void* line_of_program(const void* caller) {
  return self == nullptr || self->on_behalf_of == nullptr ? caller : self->on_behalf_of;
}

// While it lives, interposed functions that the runtime itself calls count as called at `caller`, also for TSan.
// REQUIRES: none of them runs code of the program.
class OnBehalfOf {
 public:
  explicit OnBehalfOf(const void* caller) {
    if (has_tsan()) __tsan_func_entry(const_cast<void*>(caller));
    if (self != nullptr) self->on_behalf_of = caller;
  }
  ~OnBehalfOf() {
    if (self != nullptr) self->on_behalf_of = nullptr;
    if (has_tsan()) __tsan_func_exit();
  }
  OnBehalfOf(const OnBehalfOf&) = delete;
  OnBehalfOf& operator=(const OnBehalfOf&) = delete;
};

inline std::uintptr_t address_of(const volatile void* object) { return reinterpret_cast<std::uintptr_t>(object); }

// What the model notes when `self` gets a lock that one thread can own, and when it lets go once.
inline void own(Object& lock, const void* caller) {
  lock.owner = self;
  if (++lock.depth == 1) scheduler.remember_owner_stack(lock, caller);
}

inline void disown(Object& lock) {
  if (lock.depth > 0) --lock.depth;
  if (lock.depth == 0) lock.owner = nullptr;
}

// Model of a mutex that condition variables share. Both carry the change out for real, too.
void release_mutex(pthread_mutex_t& mutex, Object& object);
void acquire_mutex(pthread_mutex_t& mutex, Object& object, const void* caller);

// Virtual time at which `deadline`, on `clock`, passes.
std::uint64_t virtual_deadline(clockid_t clock, const timespec& deadline);
// Virtual time at which `duration`, from now on, is over.
std::uint64_t virtual_deadline_after(const timespec& duration);

// The futex system call of a controlled thread. Returns as the kernel does: a negative error code if it fails.
long futex(const long (&arguments)[6], const void* caller);

// What glibc's timed calls ask of their arguments; else EINVAL.
inline bool can_wait_on(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
inline bool is_valid_fraction(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }
// What the kernel asks of them.
inline bool is_valid(const timespec& time) { return is_valid_fraction(time) && time.tv_sec >= 0; }

}  // namespace weavefuzz::runtime
