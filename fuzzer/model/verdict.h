// How a run ended.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weavefuzz {

enum class Verdict : std::uint8_t {
  kPass,
  kDataRace,
  kLockOrder,
  kDeadlock,
  kLostWakeup,
  kLivelock,
  kThreadLeak,
  kAssertion,
  kException,
  kSignal,
  kMemoryError,
  kUndefinedBehaviour,
  kSanitizer,
};

// What a person reads, in the order of the enumerators.
inline constexpr std::array<std::string_view, 13> kVerdictText{
    "pass",      "data race", "lock order", "deadlock",     "lost wakeup",         "livelock",         "thread leak",
    "assertion", "exception", "signal",     "memory error", "undefined behaviour", "sanitizer report",
};

constexpr std::string_view to_text(Verdict verdict) { return kVerdictText[static_cast<std::size_t>(verdict)]; }

}  // namespace weavefuzz
