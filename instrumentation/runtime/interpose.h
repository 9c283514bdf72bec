// For the files that define interposed functions. Each of those stands in for a libc function, for the
// program and for every shared library; on a thread that is not under control it only forwards.
#pragma once
#include "instrumentation/runtime/real.h"
#include "instrumentation/runtime/scheduler.h"

// The rest of the function belongs to controlled threads; all others get the real one.
#define WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(name, ...) \
  if (::weavefuzz::runtime::self == nullptr) return WEAVEFUZZ_REAL(name)(__VA_ARGS__)

#define WEAVEFUZZ_CALLER() __builtin_return_address(0)

namespace weavefuzz::runtime {

inline std::uintptr_t address_of(const volatile void* object) { return reinterpret_cast<std::uintptr_t>(object); }

// Model of a mutex that condition variables share. Both carry the change out for real, too.
void release_mutex(pthread_mutex_t& mutex, Object& object);
void acquire_mutex(pthread_mutex_t& mutex, Object& object, const void* caller);

// Virtual time at which `deadline`, on `clock`, passes.
std::uint64_t virtual_deadline(clockid_t clock, const timespec& deadline);
// What the pthread functions that wait with a deadline ask for: one of two clocks, and less than a second of
// nanoseconds.
inline bool can_measure_waits(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
inline bool is_valid_fraction(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }

// Answers a system call that reads a clock, sleeps or yields, as syscall() does. False: it is another one.
// REQUIRES: the calling thread is controlled.
bool answer_time_call(long number, const long* arguments, long& result);

}  // namespace weavefuzz::runtime
