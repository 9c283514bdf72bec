/* weavefuzz.h - everything that a harness may use. C11 and C++20.
 *
 * Most harnesses need none of it: define LLVMFuzzerTestOneInput, start threads, join them. Where the
 * runtime is not linked in, the calls do nothing and WEAVEFUZZ_CHECK aborts. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* You define this one. It is called once per run, under a schedule that the fuzzer chose. Join every
 * thread that you start. The same data and the same schedule must mean the same run. */
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* The runtime defines these. */
__attribute__((weak)) void weavefuzz_yield(void);            /* one more place to switch threads */
__attribute__((weak)) int weavefuzz_controlled(void);        /* 1 on a thread of a controlled run */
__attribute__((weak)) void weavefuzz_pause(void);            /* leave this thread alone until ... */
__attribute__((weak)) void weavefuzz_resume(void);           /* ... here, or it ends; calls nest */
__attribute__((weak)) void weavefuzz_fail(const char* what); /* report a finding and stop */

#define WEAVEFUZZ_CHECK(condition)                                     \
  do {                                                                 \
    if (!(condition)) {                                                \
      if (weavefuzz_fail) weavefuzz_fail("check failed: " #condition); \
      abort();                                                         \
    }                                                                  \
  } while (0)

/* On a function: its accesses are not instrumented. */
#define WEAVEFUZZ_IGNORE __attribute__((annotate("weavefuzz_ignore")))

#ifdef __cplusplus
} /* extern "C" */

namespace weavefuzz {

inline void yield() {
  if (weavefuzz_yield) weavefuzz_yield();
}
inline bool controlled() { return weavefuzz_controlled && weavefuzz_controlled() != 0; }

// Code in the scope of a Pause is not scheduled: logging, lazy set-up, a trusted library. It must not wait
// for another thread.
class Pause {
 public:
  Pause() {
    if (weavefuzz_pause) weavefuzz_pause();
  }
  ~Pause() {
    if (weavefuzz_resume) weavefuzz_resume();
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
};

}  // namespace weavefuzz
#endif
