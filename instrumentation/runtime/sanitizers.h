// What the runtime tells sanitizers, and asks them; all absent in a plain build.
#pragma once
#include <cstddef>

extern "C" {
__attribute__((weak)) void __tsan_acquire(void* address);
__attribute__((weak)) void __tsan_release(void* address);
__attribute__((weak)) void __tsan_func_entry(void* caller);
__attribute__((weak)) void __tsan_func_exit();
__attribute__((weak)) void __asan_init();
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*,
                                                                                      std::size_t),
                                                                    void (*on_free)(const volatile void*));
__attribute__((weak)) std::size_t __sanitizer_get_allocated_size(const volatile void* memory);
__attribute__((weak)) int __sanitizer_get_ownership(const volatile void* memory);
}

namespace weavefuzz::runtime {

inline bool has_tsan() { return &__tsan_acquire != nullptr; }
inline bool has_asan() { return &__asan_init != nullptr; }

// Happens-before edges that no real synchronization shows to TSan.
inline void tsan_acquire(void* address) {
  if (has_tsan()) __tsan_acquire(address);
}
inline void tsan_release(void* address) {
  if (has_tsan()) __tsan_release(address);
}

// While it lives, TSan takes what is called for a call of the program's, at `caller`: its interceptors see our frame.
class TsanFrame {
 public:
  explicit TsanFrame(const void* caller) {
    if (has_tsan()) __tsan_func_entry(const_cast<void*>(caller));
  }
  ~TsanFrame() {
    if (has_tsan()) __tsan_func_exit();
  }
  TsanFrame(const TsanFrame&) = delete;
  TsanFrame& operator=(const TsanFrame&) = delete;
};

}  // namespace weavefuzz::runtime
