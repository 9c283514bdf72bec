// Linked where no sanitizer brings an allocator of its own: glibc's, with a look at what is freed.
#include <cstddef>

extern "C" {
void __libc_free(void* memory);
void* __libc_realloc(void* memory, std::size_t size);
void weavefuzz_on_free(const volatile void* memory);

void free(void* memory) {
  weavefuzz_on_free(memory);
  __libc_free(memory);
}

void* realloc(void* memory, std::size_t size) {
  weavefuzz_on_free(memory);
  return __libc_realloc(memory, size);
}
}
