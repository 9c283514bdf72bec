// Linked where no sanitizer brings an allocator of its own: the program's, with a look at what is freed.
#include <dlfcn.h>

#include <cstddef>

extern "C" {

void __libc_free(void* memory);
void* __libc_realloc(void* memory, std::size_t size);
void weavefuzz_on_free(const volatile void* memory);

// Weak, so that an allocator that is linked in statically wins; the next one in line otherwise. Looking it
// up may itself free something, of libc's.
__attribute__((weak)) void free(void* memory) {
  static void (*real)(void*) = nullptr;
  if (real == nullptr) {
    real = __libc_free;
    real = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_NEXT, "free"));
  }
  weavefuzz_on_free(memory);
  real(memory);
}

__attribute__((weak)) void* realloc(void* memory, std::size_t size) {
  static void* (*real)(void*, std::size_t) = nullptr;
  if (real == nullptr) {
    real = __libc_realloc;
    real = reinterpret_cast<void* (*)(void*, std::size_t)>(dlsym(RTLD_NEXT, "realloc"));
  }
  weavefuzz_on_free(memory);
  return real(memory, size);
}
}
