// Which library called? Some calls of the C++ library and the unwinder are not the program's doing: they
// guard state that no thread can be switched away from, and happen in the first run of a process only.
// Neither the schedule nor TSan is to know of them.
#pragma once

namespace weavefuzz::runtime {

bool is_in_unwinder(const void* address);     // libgcc_s
bool is_in_cxx_library(const void* address);  // libstdc++
bool is_in_allocator(const void* address);    // whatever brings malloc, if that is a shared library

}  // namespace weavefuzz::runtime
