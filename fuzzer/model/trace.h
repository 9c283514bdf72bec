// The events of one run as values that mean the same in every process.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "fuzzer/model/event.h"
#include "fuzzer/model/ids.h"

namespace weavefuzz {

inline constexpr std::uint32_t kNoSite = 0xFFFF'FFFFU;

struct TraceEvent {
  ThreadId thread;
  EventKind kind = EventKind::kStart;
  std::uint32_t site = kNoSite;  // index into the binary's site table
  VariableId variable;           // 0 where the event touches nothing
  std::uint32_t size = 0;        // bytes accessed
  std::uint32_t source = 0;      // index of the recorded event this was made from; not part of its meaning

  friend bool operator==(const TraceEvent& a, const TraceEvent& b) {
    return a.thread == b.thread && a.kind == b.kind && a.site == b.site && a.variable == b.variable && a.size == b.size;
  }
};

using Trace = std::vector<TraceEvent>;

// XXH3 over everything that has a meaning.
std::uint64_t hash(const Trace& trace);

// Index of the first event in which two traces differ, where one has ended included.
std::optional<std::size_t> first_difference(const Trace& a, const Trace& b);

}  // namespace weavefuzz
