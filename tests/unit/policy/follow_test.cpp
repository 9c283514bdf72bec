#include "fuzzer/policy/follow.h"

#include <gtest/gtest.h>

#include "fuzzer/model/rng.h"
#include "tests/unit/allocations.h"
#include "tests/unit/policy/tiny_scheduler.h"

namespace weavefuzz {
namespace {

using Order = std::vector<std::uint32_t>;

Switch at(std::uint32_t thread, std::uint32_t site, std::uint32_t occurrence, std::uint32_t to) {
  return {ThreadId{thread}, SiteKey{site}, occurrence, ThreadId{to}};
}

Schedule forcing(std::vector<Switch> switches, PolicyId policy = PolicyId::kFollow, std::uint64_t seed = 0) {
  Schedule schedule{policy, seed, std::move(switches)};
  normalise(schedule);
  return schedule;
}

TinyRun follow(const Schedule& schedule, const std::vector<Program>& programs, bool honour_quiet = true) {
  return run(policy_for(schedule), schedule, programs, honour_quiet);
}

// Stays with the current thread, with the quiet it is told to grant, and counts what it is asked.
class Grants final : public Policy {
 public:
  void start(const Schedule&) override {}
  Choice pick(const Question& question) override {
    ++asked;
    return {question.current == kNobody ? 0 : question.current, quiet};
  }
  std::uint32_t quiet = 0;
  std::size_t asked = 0;
};
Grants grants;
Policy& base_that_grants(PolicyId) { return grants; }

// A question in which `thread` has arrived at `site` and is the current one, if it is ready.
struct Arrival {
  Arrival(std::uint32_t thread, std::uint32_t site, std::vector<Candidate> given) : candidates(std::move(given)) {
    question.candidates = candidates;
    while (question.ready < candidates.size() && candidates[question.ready].readiness == Readiness::kReady) {
      if (candidates[question.ready].thread.value == thread) question.current = question.ready;
      ++question.ready;
    }
    question.arrived = true;
    question.thread = ThreadId{thread};
    question.op.site = SiteKey{site};
  }
  std::vector<Candidate> candidates;
  Question question;
};

TEST(FollowPolicy, RunsEachThreadToItsEndWithoutSwitches) {
  const TinyRun result = follow({}, {{1, 2}, {1, 2}, {1, 2}});
  EXPECT_EQ(result.order, (Order{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(result.questions, 3U);
}

TEST(FollowPolicy, SwitchesAtTheRightOccurrence) {
  const std::vector<Program> programs{{0, 7, 8, 7, 8}, {0, 8}};
  EXPECT_EQ(follow(forcing({at(0, 7, 1, 1)}), programs).order, (Order{0, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(follow(forcing({at(0, 7, 2, 1)}), programs).order, (Order{0, 0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(follow(forcing({at(0, 8, 1, 1), at(1, 8, 1, 0)}), programs).order, (Order{0, 0, 1, 0, 0, 0, 1}));
}

TEST(FollowPolicy, CountsOccurrencesPerThread) {
  const std::vector<Program> programs{{0, 7, 7, 7}, {0, 7, 7, 7}};
  const TinyRun result = follow(forcing({at(0, 7, 1, 1), at(1, 7, 2, 0), at(0, 7, 3, 1)}), programs);
  EXPECT_EQ(result.order, (Order{0, 1, 1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(result.unused_switches, 0U);
}

TEST(FollowPolicy, CountsSwitchesThatDidNotApply) {
  const std::vector<Program> programs{{0, 7}, {0, 7}};
  const Schedule schedule = forcing({
      at(0, 7, 1, 9),  // no such thread
      at(0, 7, 2, 1),  // never gets there
      at(0, 8, 1, 1),  // no such site
      at(1, 7, 1, 0),  // has ended
      at(5, 7, 1, 0),  // no such thread
  });
  const TinyRun result = follow(schedule, programs);
  EXPECT_EQ(result.order, (Order{0, 0, 1, 1}));
  EXPECT_EQ(result.unused_switches, 5U);
}

TEST(FollowPolicy, ForgetsTheRunBefore) {
  const std::vector<Program> programs{{0, 7, 7}, {0, 7}};
  const Schedule schedule = forcing({at(0, 7, 2, 1), at(0, 7, 9, 1)});
  const TinyRun first = follow(schedule, programs);
  const TinyRun second = follow(schedule, programs);
  EXPECT_EQ(first.order, second.order);
  EXPECT_EQ(first.unused_switches, 1U);
  EXPECT_EQ(second.unused_switches, 1U);
  EXPECT_EQ(follow({}, programs).unused_switches, 0U);
}

TEST(FollowPolicy, WakesTheTargetAsItCanBeWoken) {
  const Schedule schedule = forcing({at(0, 7, 1, 1), at(0, 7, 2, 1), at(0, 7, 3, 1)});
  Policy& policy = policy_for(schedule);
  policy.start(schedule);
  const Candidate timeout = waiting(1, Readiness::kTimeout);
  const Candidate spurious = waiting(1, Readiness::kSpurious);
  EXPECT_EQ(policy.pick(Arrival(0, 7, {ready(0), ready(2), timeout}).question).index, 2U);
  EXPECT_EQ(policy.pick(Arrival(0, 7, {ready(0), spurious}).question).index, 1U);
  EXPECT_EQ(policy.pick(Arrival(0, 7, {ready(0), spurious, timeout}).question).index, 2U);
  EXPECT_EQ(policy.unused_switches(), 0U);
}

TEST(FollowPolicy, ObeysASwitchWhenItsThreadHasJustBlocked) {
  const Schedule schedule = forcing({at(0, 7, 1, 3)});
  Policy& policy = policy_for(schedule);
  policy.start(schedule);
  EXPECT_EQ(policy.pick(Arrival(0, 7, {ready(1), ready(3)}).question).index, 1U);
  EXPECT_EQ(policy.unused_switches(), 0U);
}

TEST(FollowPolicy, DoesNotCountWakeupsAsArrivals) {
  const Schedule schedule = forcing({at(0, 7, 1, 1)});
  Policy& policy = policy_for(schedule);
  policy.start(schedule);
  Arrival wakeup(0, 7, {ready(2), ready(1)});
  wakeup.question.kind = QuestionKind::kWakeup;
  EXPECT_EQ(policy.pick(wakeup.question).index, 0U);
  EXPECT_EQ(policy.unused_switches(), 1U);
  EXPECT_EQ(policy.pick(Arrival(0, 7, {ready(0), ready(1)}).question).index, 1U);
}

TEST(FollowPolicy, TakesTurnsWhenTheCurrentThreadCannotGoOn) {
  Policy& policy = policy_for({});
  const Schedule schedule;
  policy.start(schedule);
  EXPECT_EQ(policy.pick(Arrival(2, 7, {ready(0), ready(1), ready(4)}).question).index, 2U);
  EXPECT_EQ(policy.pick(Arrival(4, 7, {ready(0), ready(1), ready(2)}).question).index, 0U);
  EXPECT_EQ(policy.pick(Arrival(0, 7, {ready(1), ready(2)}).question).index, 0U);
}

TEST(FollowPolicy, LetsTimeoutsFireOnlyWhenNothingElseCanRun) {
  Policy& policy = policy_for({});
  const Schedule schedule;
  policy.start(schedule);
  const Candidate spurious = waiting(1, Readiness::kSpurious);
  const Candidate timeout = waiting(2, Readiness::kTimeout);
  const Candidate later = waiting(1, Readiness::kTimeout);
  EXPECT_EQ(policy.pick(Arrival(3, 7, {ready(0), timeout}).question).index, 0U);
  EXPECT_EQ(policy.pick(Arrival(3, 7, {spurious, timeout, later}).question).index, 1U);
}

TEST(FollowPolicy, IsAskedAtEachEventOfAThreadWithSwitchesAhead) {
  const Schedule schedule = forcing({at(0, 7, 2, 1)});
  Policy& policy = policy_for(schedule);
  policy.start(schedule);
  const std::vector<Candidate> both{ready(0), ready(1)};
  EXPECT_EQ(policy.pick(Arrival(0, 7, both).question).quiet, 0U);
  EXPECT_EQ(policy.pick(Arrival(0, 8, both).question).quiet, 0U);
  EXPECT_EQ(policy.pick(Arrival(1, 7, both).question).quiet, kQuietForever);
  EXPECT_EQ(policy.pick(Arrival(0, 7, both).question).index, 1U);
  EXPECT_EQ(policy.pick(Arrival(0, 7, both).question).quiet, kQuietForever);
}

TEST(FollowPolicy, PassesTheRestOfTheQuietOnAfterTheLastSwitch) {
  FollowPolicy policy(base_that_grants);
  const Schedule schedule = forcing({at(0, 7, 1, 9)});
  const std::vector<Candidate> both{ready(0), ready(1)};
  grants.quiet = 10;
  grants.asked = 0;
  policy.start(schedule);
  EXPECT_EQ(policy.pick(Arrival(0, 1, both).question).quiet, 0U);
  EXPECT_EQ(policy.pick(Arrival(0, 1, both).question).quiet, 0U);
  EXPECT_EQ(policy.pick(Arrival(0, 7, both).question).quiet, 8U);  // the switch is past
  EXPECT_EQ(grants.asked, 1U);
  EXPECT_EQ(policy.pick(Arrival(0, 1, both).question).quiet, 10U);
  EXPECT_EQ(grants.asked, 2U);
}

TEST(FollowPolicy, AsksTheBaseAsIfThereWereNoSwitchesAhead) {
  // One switch that never applies makes it ask at each event, and yet nothing may change.
  const std::vector<Program> programs{Program(40, 1), Program(40, 2), Program(40, 3)};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TinyRun without = follow(forcing({}, PolicyId::kRandom, seed), programs);
    const TinyRun with =
        follow(forcing({at(0, 9, 1, 1), at(1, 9, 1, 0), at(2, 9, 1, 0)}, PolicyId::kRandom, seed), programs);
    ASSERT_EQ(without.order, with.order) << seed;
    ASSERT_EQ(with.unused_switches, 3U);
  }
}

TEST(FollowPolicy, AppliesTheSameSwitchesWhetherOrNotQuietIsHonoured) {
  Rng rng(5);
  std::size_t applied = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::vector<Program> programs(2 + rng.below(3));
    for (Program& program : programs)
      for (std::uint64_t n = 1 + rng.below(12); n > 0; --n) program.push_back(static_cast<std::uint32_t>(rng.below(3)));
    std::vector<Switch> switches;
    const auto any = [&](std::uint64_t n) { return static_cast<std::uint32_t>(rng.below(n)); };
    for (std::uint64_t n = rng.below(8); n > 0; --n) switches.push_back(at(any(4), any(3), 1 + any(3), any(4)));
    const Schedule schedule = forcing(switches);
    const TinyRun honoured = follow(schedule, programs, true);
    const TinyRun ignored = follow(schedule, programs, false);
    ASSERT_EQ(honoured.order, ignored.order);
    ASSERT_EQ(honoured.unused_switches, ignored.unused_switches);
    ASSERT_LE(honoured.questions, ignored.questions);
    applied += schedule.switches.size() - honoured.unused_switches;
  }
  EXPECT_GT(applied, 3'000U);
}

TEST(FollowPolicy, TakesNoMemoryForASizeItHasSeen) {
  std::vector<Switch> one_place;
  std::vector<Switch> many_threads;
  for (std::uint32_t i = 1; i <= 64; ++i) {
    one_place.push_back(at(0, 7, i, 1));
    many_threads.push_back(at(i, i, 1, 0));
  }
  const Schedule first = forcing(one_place);
  const Schedule second = forcing(many_threads);
  Policy& policy = policy_for(first);
  policy.start(first);
  const Arrival arrival(1, 1, {ready(0), ready(1)});
  const std::size_t before = allocations();
  policy.start(second);
  EXPECT_EQ(policy.pick(arrival.question).index, 0U);
  policy.start(first);
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace weavefuzz
