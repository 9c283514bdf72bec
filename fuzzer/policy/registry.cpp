// The list of all policies. To add one: its PolicyId, a file, and here its function and its row.
#include <array>

#include "fuzzer/policy/follow.h"
#include "fuzzer/policy/policy.h"
#include "fuzzer/policy/single.h"

namespace weavefuzz {

Policy& follow_policy();
Policy& random_policy();

namespace {

constexpr PolicyRow row(PolicyId id, const char* help, Policy& (*instance)()) {
  return {id, policy_name(id), help, instance};
}

constexpr std::array kPolicies{
    row(PolicyId::kFollow, "Runs each thread until it blocks; switches only where forced.", follow_policy),
    row(PolicyId::kRandom, "Switches at random, with a probability drawn from the seed.", random_policy),
};

Policy& base_of(PolicyId id) {
  for (const PolicyRow& policy : kPolicies)
    if (policy.id == id) return policy.instance();
  return follow_policy();
}

}  // namespace

std::span<const PolicyRow> all_policies() { return kPolicies; }

Policy& policy_for(const Schedule& schedule) {
  if (schedule.switches.empty()) return base_of(schedule.policy);
  return single<FollowPolicy>(base_of);
}

}  // namespace weavefuzz
