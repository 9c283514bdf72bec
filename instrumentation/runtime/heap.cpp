// Tells the scheduler when memory is given back. A sanitizer's allocator has hooks for that.
#include <malloc.h>

#include "instrumentation/runtime/sanitizers.h"
#include "instrumentation/runtime/scheduler.h"

namespace weavefuzz::runtime {

extern "C" void weavefuzz_on_free(const volatile void* memory) {
  if (self == nullptr || memory == nullptr) return;
  // Freed twice, or never allocated: the sanitizer is about to say so.
  if (&__sanitizer_get_ownership != nullptr && __sanitizer_get_ownership(memory) == 0) return;
  const std::size_t size = &__sanitizer_get_allocated_size != nullptr ? __sanitizer_get_allocated_size(memory)
                                                                      : malloc_usable_size(const_cast<void*>(memory));
  scheduler.forget_memory(memory, size);
}

void watch_frees() {
  if (&__sanitizer_install_malloc_and_free_hooks != nullptr)
    __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) {}, weavefuzz_on_free);
}

}  // namespace weavefuzz::runtime
