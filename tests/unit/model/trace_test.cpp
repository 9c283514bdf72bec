#include "fuzzer/model/trace.h"

#include <gtest/gtest.h>

namespace weavefuzz {
namespace {

const Trace kTrace{
    {.thread = ThreadId{0}, .kind = EventKind::kSpawn, .variable = VariableId{1}},
    {.thread = ThreadId{1}, .kind = EventKind::kRead, .site = 3, .variable = VariableId{2}, .size = 4},
    {.thread = ThreadId{1}, .kind = EventKind::kWrite, .site = 4, .variable = VariableId{2}, .size = 4},
};

TEST(Trace, HashDependsOnEverythingThatHasAMeaning) {
  const std::uint64_t original = hash(kTrace);
  for (std::size_t i = 0; i < kTrace.size(); ++i) {
    Trace changed = kTrace;
    changed[i].thread.value += 1;
    EXPECT_NE(hash(changed), original);
    changed = kTrace;
    changed[i].kind = EventKind::kFence;
    EXPECT_NE(hash(changed), original);
    changed = kTrace;
    changed[i].site += 1;
    EXPECT_NE(hash(changed), original);
    changed = kTrace;
    changed[i].variable.value += 1;
    EXPECT_NE(hash(changed), original);
    changed = kTrace;
    changed[i].size += 1;
    EXPECT_NE(hash(changed), original);
  }
  EXPECT_NE(hash({kTrace[1], kTrace[0], kTrace[2]}), original);
  EXPECT_NE(hash({kTrace[0], kTrace[1]}), original);
}

TEST(Trace, HashDoesNotDependOnWhereAnEventWasRecorded) {
  Trace moved = kTrace;
  moved[1].source = 77;
  EXPECT_EQ(hash(moved), hash(kTrace));
}

// The hash is in artifacts' reports and in people's notes: it changes only with a reason.
TEST(Trace, HashIsTheSameOnEveryMachine) { EXPECT_EQ(hash(kTrace), 11172631113106907497ULL); }

TEST(Trace, FirstDifferenceFindsTheFirstEventThatDiffers) {
  Trace other = kTrace;
  EXPECT_EQ(first_difference(kTrace, other), std::nullopt);
  other[1].site = 9;
  EXPECT_EQ(first_difference(kTrace, other), 1U);
  EXPECT_EQ(first_difference(kTrace, {kTrace[0]}), 1U);
}

}  // namespace
}  // namespace weavefuzz
