// Counts calls of operator new in the test program.
#pragma once
#include <cstddef>

namespace weavefuzz {

std::size_t allocations();

}  // namespace weavefuzz
