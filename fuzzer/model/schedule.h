// A schedule: the switches we force, and who decides everywhere else.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzzer/model/ids.h"

namespace weavefuzz {

// When `thread` is about to do what stands at `site` for the `occurrence`-th time (from 1), `to`
// runs instead. Anchored to what the thread does and not to a step number, so that it survives
// changes elsewhere in the input and in the code.
struct Switch {
  ThreadId thread;
  SiteKey site;
  std::uint32_t occurrence = 1;
  ThreadId to;
  friend auto operator<=>(const Switch&, const Switch&) = default;
};

// A place that a switch can be anchored to.
struct Anchor {
  ThreadId thread;
  SiteKey site;
  std::uint32_t occurrence = 1;
  friend auto operator<=>(const Anchor&, const Anchor&) = default;
};

constexpr Anchor anchor_of(const Switch& forced) { return {forced.thread, forced.site, forced.occurrence}; }

// Numbers are part of the input format: never reuse one.
enum class PolicyId : std::uint8_t {
  kFollow = 0,  // keep running the current thread until it blocks
  kRandom = 1,  // switch at random
};

// As in -policy=NAME; null for a number that names no policy.
constexpr const char* policy_name(PolicyId id) {
  switch (id) {
    case PolicyId::kFollow: return "follow";
    case PolicyId::kRandom: return "random";
  }
  return nullptr;
}

struct Schedule {
  PolicyId policy = PolicyId::kFollow;
  std::uint64_t seed = 0;
  std::vector<Switch> switches;  // sorted; at most one for each (thread, site, occurrence)
  friend bool operator==(const Schedule&, const Schedule&) = default;

  // True of the schedule that an input without one has.
  bool empty() const { return policy == PolicyId::kFollow && seed == 0 && switches.empty(); }
};

// Sorts the switches, drops those that can never apply (occurrence 0, to the thread itself) and all
// but the first for the same anchor.
void normalise(Schedule& schedule);

// Would normalise() leave it as it is?
bool is_normalised(const Schedule& schedule);

// One line for a person: "random seed=17, 2 switches: t1@1f2e3d4c#1->t2 ..."
// The dots stand for switches beyond the first eight.
std::string to_string(const Schedule& schedule);

}  // namespace weavefuzz
