// Linked where no sanitizer brings an allocator of its own: the program's, with a look at what is freed.
#include <dlfcn.h>

#include <cstddef>
#include <exception>

extern "C" {
void* __libc_realloc(void* memory, std::size_t size);
void weavefuzz_on_free(const volatile void* memory);
}

namespace {

// The program may bring an allocator as a shared library. It is looked up before any constructor runs, and
// never from within free, since looking up frees, too. The few bytes that are freed before are given up.
void (*next_free)(void*) = [](void*) {};
void* (*next_realloc)(void*, std::size_t) = __libc_realloc;

// Every form of operator delete: an allocator may have its own, past free. They take the memory first, then
// a size, an alignment or nothing; what is handed on beyond that is not looked at.
#define WEAVEFUZZ_DELETE_OPERATORS(row)                                                                           \
  row(_ZdlPv) row(_ZdaPv) row(_ZdlPvm) row(_ZdaPvm) row(_ZdlPvSt11align_val_t) row(_ZdaPvSt11align_val_t)         \
      row(_ZdlPvmSt11align_val_t) row(_ZdaPvmSt11align_val_t) row(_ZdlPvRKSt9nothrow_t) row(_ZdaPvRKSt9nothrow_t) \
          row(_ZdlPvSt11align_val_tRKSt9nothrow_t) row(_ZdaPvSt11align_val_tRKSt9nothrow_t)

using Delete = void(void* memory, std::size_t first, std::size_t second);
#define WEAVEFUZZ_NEXT_DELETE(name) \
  Delete* next##name = [](void* memory, std::size_t, std::size_t) { next_free(memory); };
WEAVEFUZZ_DELETE_OPERATORS(WEAVEFUZZ_NEXT_DELETE)

// libstdc++'s operators only call each other and free; going there directly, a block is noted once.
bool is_in_cxx_library(void* function) {
  dl_find_object library{};
  dl_find_object cxx_library{};
  return _dl_find_object(function, &library) == 0 &&
         _dl_find_object(reinterpret_cast<void*>(&std::terminate), &cxx_library) == 0 &&
         library.dlfo_map_start == cxx_library.dlfo_map_start;
}

void find_allocator() {
  if (void* found = dlsym(RTLD_NEXT, "free")) next_free = reinterpret_cast<void (*)(void*)>(found);
  if (void* found = dlsym(RTLD_NEXT, "realloc")) next_realloc = reinterpret_cast<void* (*)(void*, std::size_t)>(found);
#define WEAVEFUZZ_FIND_DELETE(name)                                              \
  if (void* found = dlsym(RTLD_NEXT, #name); found && !is_in_cxx_library(found)) \
    next##name = reinterpret_cast<Delete*>(found);
  WEAVEFUZZ_DELETE_OPERATORS(WEAVEFUZZ_FIND_DELETE)
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

#define WEAVEFUZZ_DEFINE_DELETE(name)                                                               \
  __attribute__((weak)) void weavefuzz##name(void*, std::size_t, std::size_t) asm(#name);           \
  __attribute__((weak)) void weavefuzz##name(void* memory, std::size_t first, std::size_t second) { \
    weavefuzz_on_free(memory);                                                                      \
    next##name(memory, first, second);                                                              \
  }
WEAVEFUZZ_DELETE_OPERATORS(WEAVEFUZZ_DEFINE_DELETE)
}
