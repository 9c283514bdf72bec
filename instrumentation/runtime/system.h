// System calls without libc and without interceptors, for threads whose identity is lent out.
#pragma once
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>

#include <climits>
#include <cstdint>

namespace weavefuzz::runtime {

inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  long result = number;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "Weavefuzz runs on x86-64 and AArch64"
#endif
}

inline int kernel_thread_id() { return static_cast<int>(system_call(SYS_gettid)); }

// fork without the handlers of libc and sanitizers.
inline long fork_raw() { return system_call(SYS_clone, SIGCHLD); }

// Waits until `*word` is no longer `value`. May return early; call in a loop.
inline void futex_wait(std::uint32_t* word, std::uint32_t value) {
  system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE, value);
}

inline void futex_wake(std::uint32_t* word) {
  system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, INT_MAX);
}

inline void set_and_wake(std::uint32_t& word) {
  __atomic_store_n(&word, 1U, __ATOMIC_RELEASE);
  futex_wake(&word);
}

inline void wait_until_set(std::uint32_t& word) {
  while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0) futex_wait(&word, 0);
}

}  // namespace weavefuzz::runtime
