#include "fuzzer/model/schedule.h"

#include <gtest/gtest.h>

namespace weavefuzz {
namespace {

Switch at(std::uint32_t thread, std::uint32_t site, std::uint32_t occurrence, std::uint32_t to) {
  return {ThreadId{thread}, SiteKey{site}, occurrence, ThreadId{to}};
}

TEST(Schedule, IsEmptyOnlyWithoutPolicySeedAndSwitches) {
  EXPECT_TRUE(Schedule{}.empty());
  EXPECT_FALSE((Schedule{.policy = PolicyId::kRandom, .seed = 0, .switches = {}}.empty()));
  EXPECT_FALSE((Schedule{.policy = PolicyId::kFollow, .seed = 1, .switches = {}}.empty()));
  EXPECT_FALSE((Schedule{.policy = {}, .seed = 0, .switches = {at(0, 1, 1, 1)}}.empty()));
}

TEST(Schedule, NormaliseSortsByThreadSiteAndOccurrence) {
  Schedule schedule;
  schedule.switches = {at(1, 1, 1, 0), at(0, 2, 1, 1), at(0, 1, 2, 1), at(0, 1, 1, 1)};
  EXPECT_FALSE(is_normalised(schedule));
  normalise(schedule);
  EXPECT_TRUE(is_normalised(schedule));
  EXPECT_EQ(schedule.switches, (std::vector<Switch>{at(0, 1, 1, 1), at(0, 1, 2, 1), at(0, 2, 1, 1), at(1, 1, 1, 0)}));
}

TEST(Schedule, NormaliseDropsSwitchesThatCanNeverApply) {
  Schedule schedule;
  schedule.switches = {at(0, 1, 0, 1), at(2, 1, 1, 2)};
  EXPECT_FALSE(is_normalised(schedule));
  normalise(schedule);
  EXPECT_TRUE(schedule.switches.empty());
}

TEST(Schedule, NormaliseKeepsOneSwitchPerAnchor) {
  Schedule schedule;
  schedule.switches = {at(0, 1, 1, 3), at(0, 1, 1, 2), at(0, 1, 1, 0), at(0, 1, 1, 2)};
  normalise(schedule);
  EXPECT_EQ(schedule.switches, std::vector<Switch>{at(0, 1, 1, 2)});
}

TEST(Schedule, PrintsAsOneLine) {
  Schedule schedule{.policy = PolicyId::kRandom, .seed = 17, .switches = {}};
  EXPECT_EQ(to_string(Schedule{}), "follow seed=0, no switches");
  EXPECT_EQ(to_string(schedule), "random seed=17, no switches");
  schedule.switches = {at(1, 0x1f2e3d4c, 1, 2)};
  EXPECT_EQ(to_string(schedule), "random seed=17, 1 switch: t1@1f2e3d4c#1->t2");
  schedule.switches.push_back(at(2, 0xa, 30, 0));
  EXPECT_EQ(to_string(schedule), "random seed=17, 2 switches: t1@1f2e3d4c#1->t2 t2@0000000a#30->t0");
  schedule.switches.resize(100, at(0, 1, 1, 1));
  EXPECT_TRUE(to_string(schedule).starts_with("random seed=17, 100 switches: t1@1f2e3d4c#1->t2"));
  EXPECT_TRUE(to_string(schedule).ends_with(" ..."));
}

TEST(Schedule, PrintsAnUnknownPolicyAsItsNumber) {
  EXPECT_EQ(to_string(Schedule{.policy = PolicyId{200}, .seed = 0, .switches = {}}), "policy 200 seed=0, no switches");
}

}  // namespace
}  // namespace weavefuzz
