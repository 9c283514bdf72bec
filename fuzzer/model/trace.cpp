#include "fuzzer/model/trace.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>

namespace weavefuzz {

std::uint64_t hash(const Trace& trace) {
  std::vector<std::array<std::uint32_t, 5>> packed;
  packed.reserve(trace.size());
  for (const TraceEvent& event : trace)
    packed.push_back(
        {event.thread.value, static_cast<std::uint32_t>(event.kind), event.site, event.variable.value, event.size});
  return XXH3_64bits(packed.data(), packed.size() * sizeof(packed[0]));
}

std::optional<std::size_t> first_difference(const Trace& a, const Trace& b) {
  const auto [first, second] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (first == a.end() && second == b.end()) return std::nullopt;
  return static_cast<std::size_t>(first - a.begin());
}

}  // namespace weavefuzz
