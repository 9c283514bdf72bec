// What a thread did, or is about to do.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzzer/model/ids.h"
#include "instrumentation/abi/hooks.h"

namespace weavefuzz {

enum class EventKind : std::uint8_t {
#define WEAVEFUZZ_EVENT(name, text, class, reads, writes) k##name = WEAVEFUZZ_##name,
#include "instrumentation/abi/events.def"
#undef WEAVEFUZZ_EVENT
};

enum class EventClass : std::uint8_t { kMemory, kSync, kNote };

struct EventTraits {
  std::string_view text;
  EventClass event_class;
  bool reads;
  bool writes;
};

inline constexpr std::array kEventTraits{
#define WEAVEFUZZ_EVENT(name, text, class, reads, writes) \
  EventTraits{text, EventClass::k##class, reads != 0, writes != 0},
#include "instrumentation/abi/events.def"
#undef WEAVEFUZZ_EVENT
};

constexpr const EventTraits& traits(EventKind kind) { return kEventTraits[static_cast<std::size_t>(kind)]; }

// Its object is a pipe, socket, file ..., and its name is for the runtime to tell.
constexpr bool is_about_descriptors(EventKind kind) { return kind >= EventKind::kReceive && kind <= EventKind::kClose; }

// What a thread will do when it is next chosen.
struct PendingOp {
  EventKind kind = EventKind::kStart;
  SiteKey site;         // for calls without a site: a key made from the kind
  VariableId variable;  // 0 where the operation touches nothing
};

// Would the order of these two operations, by different threads, matter?
constexpr bool conflict(const PendingOp& a, const PendingOp& b) {
  return a.variable == b.variable && a.variable != VariableId{} && (traits(a.kind).writes || traits(b.kind).writes);
}

// The key that stands for operations without a site of their own, such as an interposed call.
constexpr SiteKey key_of_kind(EventKind kind) { return SiteKey{0xFFFF'FF00U | static_cast<std::uint32_t>(kind)}; }

}  // namespace weavefuzz
