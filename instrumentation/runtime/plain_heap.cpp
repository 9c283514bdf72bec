// Linked where no sanitizer brings an allocator of its own: the program's, with a look at what is freed.
#include <dlfcn.h>

#include <cstddef>

extern "C" {
void* __libc_realloc(void* memory, std::size_t size);
void weavefuzz_on_free(const volatile void* memory);
}

namespace {

// The program may bring an allocator as a shared library. It is looked up before any constructor runs, and
// never from within free, since looking up frees, too. The few bytes that are freed before are given up.
void (*next_free)(void*) = [](void*) {};
void* (*next_realloc)(void*, std::size_t) = __libc_realloc;

void find_allocator() {
  if (void* found = dlsym(RTLD_NEXT, "free")) next_free = reinterpret_cast<void (*)(void*)>(found);
  if (void* found = dlsym(RTLD_NEXT, "realloc")) next_realloc = reinterpret_cast<void* (*)(void*, std::size_t)>(found);
}

__attribute__((section(".preinit_array"), used)) void (*const find_allocator_early)() = find_allocator;

}  // namespace

// Weak, so that an allocator that is linked in statically wins.
extern "C" {

__attribute__((weak)) void free(void* memory) {
  weavefuzz_on_free(memory);
  next_free(memory);
}

__attribute__((weak)) void* realloc(void* memory, std::size_t size) {
  weavefuzz_on_free(memory);
  return next_realloc(memory, size);
}
}
