#include "instrumentation/runtime/libraries.h"

#include <dlfcn.h>
#include <unwind.h>

#include <cstdint>
#include <cstdlib>
#include <exception>

namespace weavefuzz::runtime {

namespace {

// Found by one of its functions; _dl_find_object takes no locks and works at any time.
struct Library {
  std::uintptr_t begin = 0;
  std::uintptr_t size = 0;

  bool contains(const void* address, const void* known_function) {
    if (size == 0) [[unlikely]] {
      dl_find_object found{};
      if (_dl_find_object(const_cast<void*>(known_function), &found) != 0) return false;
      begin = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start);
      size = reinterpret_cast<std::uintptr_t>(found.dlfo_map_end) - begin;
      // The program itself is none of these, even if it brings the function.
      if (reinterpret_cast<std::uintptr_t>(this) - begin < size) size = 1;
    }
    return reinterpret_cast<std::uintptr_t>(address) - begin < size;
  }
};

constinit Library unwinder;
constinit Library cxx_library;
constinit Library allocator;

}  // namespace

bool is_in_unwinder(const void* address) {
  return unwinder.contains(address, reinterpret_cast<const void*>(&_Unwind_Backtrace));
}

bool is_in_cxx_library(const void* address) {
  return cxx_library.contains(address, reinterpret_cast<const void*>(&std::terminate));
}

bool is_in_allocator(const void* address) {
  return allocator.contains(address, reinterpret_cast<const void*>(&malloc));
}

}  // namespace weavefuzz::runtime
