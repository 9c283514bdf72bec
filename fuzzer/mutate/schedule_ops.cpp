// The ways to change a schedule. To add one: a function and a row.
#include <array>
#include <limits>
#include <utility>

#include "fuzzer/mutate/mutate.h"

namespace weavefuzz {
namespace {

// Enough seeds for any campaign in four bytes: a short input is easier to keep and to minimize.
constexpr std::uint64_t kSeeds = std::uint64_t{1} << 28;

// kFollow decides nothing at random: another seed would be the same run again.
bool uses_seed(PolicyId policy) { return policy != PolicyId::kFollow; }

Switch& any_switch(Schedule& schedule, Rng& rng) { return schedule.switches[rng.below(schedule.switches.size())]; }

// A thread of the last run, other than `a` and `b`.
bool other_thread(ThreadId& result, ThreadId a, ThreadId b, Rng& rng, std::uint32_t threads) {
  const auto taken = std::uint32_t{a.value < threads} + std::uint32_t{b.value < threads && b != a};
  if (threads <= taken) return false;
  do result = ThreadId{static_cast<std::uint32_t>(rng.below(threads))};
  while (result == a || result == b);
  return true;
}

bool new_seed(Schedule& schedule, Rng& rng, const MutationContext&) {
  if (!uses_seed(schedule.policy)) return false;
  schedule.seed = rng.below(kSeeds);
  return true;
}

PolicyId any_policy(Rng& rng, const MutationContext& context) {
  if (context.policies.empty()) return PolicyId::kRandom;
  return context.policies[rng.below(context.policies.size())];
}

bool change_policy(Schedule& schedule, Rng& rng, const MutationContext& context) {
  const PolicyId policy = any_policy(rng, context);
  if (policy == schedule.policy) return false;
  schedule.policy = policy;
  schedule.seed = uses_seed(policy) ? rng.below(kSeeds) : 0;
  return true;
}

bool add_switch(Schedule& schedule, Rng& rng, const MutationContext& context) {
  if (context.recent.empty() || schedule.switches.size() >= kMaxSwitches) return false;
  const Anchor& at = context.recent[rng.below(context.recent.size())];
  ThreadId to;
  if (!other_thread(to, at.thread, at.thread, rng, context.threads)) return false;
  schedule.switches.push_back({at.thread, at.site, at.occurrence, to});
  return true;
}

bool drop_switch(Schedule& schedule, Rng& rng, const MutationContext&) {
  if (schedule.switches.empty()) return false;
  std::swap(any_switch(schedule, rng), schedule.switches.back());
  schedule.switches.pop_back();
  return true;
}

bool retarget_switch(Schedule& schedule, Rng& rng, const MutationContext& context) {
  if (schedule.switches.empty()) return false;
  Switch& forced = any_switch(schedule, rng);
  return other_thread(forced.to, forced.thread, forced.to, rng, context.threads);
}

bool move_switch(Schedule& schedule, Rng& rng, const MutationContext&) {
  if (schedule.switches.empty()) return false;
  std::uint32_t& occurrence = any_switch(schedule, rng).occurrence;
  if (occurrence == std::numeric_limits<std::uint32_t>::max()) return false;
  const bool earlier = occurrence > 1 && rng.below(2) == 0;
  occurrence = earlier ? occurrence - 1 : occurrence + 1;
  return true;
}

// Bugs like company: the same switch again one round later, or the target switching back at the
// same place, as threads that run the same code do.
bool copy_switch(Schedule& schedule, Rng& rng, const MutationContext&) {
  if (schedule.switches.empty() || schedule.switches.size() >= kMaxSwitches) return false;
  Switch copy = any_switch(schedule, rng);
  if (rng.below(2) == 0)
    std::swap(copy.thread, copy.to);
  else if (++copy.occurrence == 0)
    return false;
  schedule.switches.push_back(copy);
  return true;
}

bool clear_switches(Schedule& schedule, Rng&, const MutationContext&) {
  if (schedule.switches.empty()) return false;
  schedule.switches.clear();
  return true;
}

bool make_empty(Schedule& schedule, Rng&, const MutationContext&) {
  if (schedule.empty()) return false;
  schedule = {};
  return true;
}

constexpr std::array kMutations{
    ScheduleMutation{"new seed", 32, new_seed},
    ScheduleMutation{"change policy", 4, change_policy},
    ScheduleMutation{"add a switch", 12, add_switch},
    ScheduleMutation{"drop a switch", 4, drop_switch},
    ScheduleMutation{"retarget a switch", 4, retarget_switch},
    ScheduleMutation{"move a switch", 4, move_switch},
    ScheduleMutation{"copy a switch", 2, copy_switch},
    ScheduleMutation{"clear switches", 1, clear_switches},
    ScheduleMutation{"make empty", 1, make_empty},
};

}  // namespace

std::span<const ScheduleMutation> schedule_mutations() { return kMutations; }

bool begin_schedule(Schedule& schedule, Rng& rng, const MutationContext& context) {
  // Once more than there are policies on the list, because kFollow may have no place to switch at.
  for (std::size_t tries = 0; tries <= context.policies.size(); ++tries) {
    Schedule begun{.policy = any_policy(rng, context), .seed = 0, .switches = {}};
    const bool differs = uses_seed(begun.policy) ? new_seed(begun, rng, context) : add_switch(begun, rng, context);
    if (!differs) continue;
    schedule = std::move(begun);
    return true;
  }
  return false;
}

}  // namespace weavefuzz
