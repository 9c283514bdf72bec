#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fuzzer/policy/policy.h"
#include "tests/unit/policy/tiny_scheduler.h"

namespace weavefuzz {
namespace {

TEST(PolicyRegistry, HasOneRowForEachNumberThatHasAName) {
  std::set<PolicyId> ids;
  for (const PolicyRow& policy : all_policies()) {
    EXPECT_STREQ(policy.name, policy_name(policy.id));
    EXPECT_FALSE(std::string(policy.help).empty());
    EXPECT_EQ(&policy.instance(), &policy.instance());
    EXPECT_TRUE(ids.insert(policy.id).second) << policy.name;
  }
  for (unsigned number = 0; number < 256; ++number) {
    const auto id = static_cast<PolicyId>(number);
    EXPECT_EQ(policy_name(id) != nullptr, ids.contains(id)) << number;
  }
}

TEST(PolicyRegistry, GivesOneObjectForAllSeedsAndOneForAllWithSwitches) {
  const Switch forced{};
  EXPECT_EQ(&policy_for({PolicyId::kRandom, 1, {}}), &policy_for({PolicyId::kRandom, 2, {}}));
  EXPECT_EQ(&policy_for({PolicyId::kFollow, 0, {forced}}), &policy_for({PolicyId::kRandom, 1, {forced}}));
}

TEST(PolicyRegistry, EveryPolicyRunsEveryThreadToItsEnd) {
  for (const PolicyRow& policy : all_policies()) {
    const Schedule schedule{policy.id, 1, {}};
    const TinyRun result = run(policy_for(schedule), schedule, {{0, 1, 2}, {0, 1}, {0}});
    EXPECT_EQ(result.order.size(), 6U) << policy.name;
  }
}

}  // namespace
}  // namespace weavefuzz
