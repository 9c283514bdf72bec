// Numbers that name things within one run. Each is its own type, so that none passes for another.
#pragma once
#include <compare>
#include <cstdint>

namespace weavefuzz {

template <class Tag>
struct Id {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using ThreadId = Id<struct ThreadTag>;      // dense, in creation order; the harness's own thread is 0
using SiteKey = Id<struct SiteTag>;         // names an instrumented place across builds (weavefuzz_site::key)
using VariableId = Id<struct VariableTag>;  // memory or synchronization object, in order of first touch; 0: none

}  // namespace weavefuzz
