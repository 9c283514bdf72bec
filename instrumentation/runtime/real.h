// The function that an interposed one stands in for: the sanitizer's interceptor where there is one
// (it must see the call), else the next definition in link order.
#pragma once
#include <dlfcn.h>

// Declares the interceptor of `name`; at namespace scope, outside any namespace.
#define WEAVEFUZZ_DECLARE_REAL(name) extern "C" __attribute__((weak)) decltype(name) __interceptor_##name;

// libc's, past any sanitizer.
#define WEAVEFUZZ_LIBC(name)                                                                \
  ([]() -> decltype(&name) {                                                                \
    static decltype(&name) real = nullptr;                                                  \
    if (real == nullptr) real = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name)); \
    return real;                                                                            \
  }())

// The function itself. REQUIRES: WEAVEFUZZ_DECLARE_REAL(name).
#define WEAVEFUZZ_REAL(name)                                                                                \
  ([]() -> decltype(&name) {                                                                                \
    static decltype(&name) real = nullptr; /* set twice by a race to the same value: harmless */            \
    if (real == nullptr)                                                                                    \
      real = &__interceptor_##name != nullptr ? &__interceptor_##name                                       \
                                              : reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name)); \
    return real;                                                                                            \
  }())
