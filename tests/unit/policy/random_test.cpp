#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "fuzzer/policy/policy.h"
#include "tests/unit/policy/tiny_scheduler.h"

namespace weavefuzz {
namespace {

Schedule random(std::uint64_t seed) { return {PolicyId::kRandom, seed, {}}; }

TinyRun run_random(std::uint64_t seed, const std::vector<Program>& programs) {
  const Schedule schedule = random(seed);
  return run(policy_for(schedule), schedule, programs);
}

// How often each candidate is the first choice, over seeds 0, 1, 2, ...
std::vector<int> first_choices(const Question& question, int seeds) {
  std::vector<int> counts(question.candidates.size());
  for (int seed = 0; seed < seeds; ++seed) {
    const Schedule schedule = random(static_cast<std::uint64_t>(seed));
    Policy& policy = policy_for(schedule);
    policy.start(schedule);
    ++counts[policy.pick(question).index];
  }
  return counts;
}

std::size_t switches_in(const std::vector<std::uint32_t>& order) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < order.size(); ++i) count += order[i] != order[i - 1] ? 1 : 0;
  return count;
}

TEST(RandomPolicy, DecidesTheSameForTheSameQuestions) {
  const std::vector<Program> programs{Program(50, 1), Program(50, 2), Program(50, 3)};
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TinyRun first = run_random(seed, programs);
    run_random(seed + 1, programs);  // whatever happens in between
    ASSERT_EQ(first.order, run_random(seed, programs).order);
    orders.insert(first.order);
  }
  EXPECT_GT(orders.size(), 95U);
}

TEST(RandomPolicy, MeansTheSameOnEveryMachine) {
  // A seed in a corpus is a promise: if this changes, so must the number of the policy.
  const std::vector<Program> programs{Program(8, 1), Program(8, 2)};
  std::string text;
  for (const std::uint32_t thread : run_random(3, programs).order) text += std::to_string(thread);
  EXPECT_EQ(text, "1101010101011000");
}

TEST(RandomPolicy, ReachesEveryInterleavingOfTwoShortThreads) {
  const std::vector<Program> programs{{0, 1, 2}, {0, 1, 2}};
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) orders.insert(run_random(seed, programs).order);
  EXPECT_EQ(orders.size(), 20U);  // 6 choose 3
}

TEST(RandomPolicy, SwitchesAboutAsOftenAsTheProbabilityOfItsRunSays) {
  // Six probabilities from 1/2 to 1/64: runs fall into six groups of about the same size.
  const std::vector<Program> programs{Program(30'000, 1), Program(30'000, 2)};
  std::map<int, int> runs;  // by the power of two nearest to the number of events per switch
  constexpr int kRuns = 120;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const TinyRun result = run_random(seed, programs);
    // Up to where one thread has ended there is somebody to switch to.
    std::vector<std::uint32_t> both = result.order;
    while (both.back() == result.order.back()) both.pop_back();
    const double events_per_switch = static_cast<double>(both.size()) / static_cast<double>(switches_in(both));
    int power = 1;
    while (events_per_switch > 1.5 * (1 << power)) ++power;
    EXPECT_NEAR(events_per_switch / (1 << power), 1.0, 0.15) << seed;
    ++runs[power];
    EXPECT_LT(result.questions, switches_in(result.order) * 11 / 10 + 40'000U / 64);
  }
  for (int power = 1; power <= 6; ++power) EXPECT_NEAR(runs[power], kRuns / 6, 12) << power;
  EXPECT_EQ(runs.size(), 6U);
}

TEST(RandomPolicy, ChoosesEvenlyWhenTheCurrentThreadCannotGoOn) {
  const std::array candidates{ready(0), ready(1), ready(2), ready(5)};
  Question question;
  question.candidates = candidates;
  question.ready = 4;
  for (const int count : first_choices(question, 4'000)) EXPECT_NEAR(count, 1'000, 120);
}

TEST(RandomPolicy, ChoosesEvenlyAmongTheOthersWhenItSwitches) {
  const std::array candidates{ready(0), ready(1), ready(2), ready(5)};
  Question question;
  question.candidates = candidates;
  question.ready = 4;
  const Schedule schedule = random(11);
  Policy& policy = policy_for(schedule);
  policy.start(schedule);
  std::array<std::array<int, 4>, 4> counts{};
  question.current = policy.pick(question).index;
  for (int i = 0; i < 12'000; ++i) {
    const std::size_t next = policy.pick(question).index;
    ++counts[question.current][next];
    question.current = next;
  }
  for (std::size_t from = 0; from < 4; ++from)
    for (std::size_t to = 0; to < 4; ++to) EXPECT_NEAR(counts[from][to], from == to ? 0 : 1'000, from == to ? 0 : 130);
}

TEST(RandomPolicy, KeepsAThreadThatAForcedSwitchPutThere) {
  const std::array candidates{ready(0), ready(1), ready(2)};
  Question question;
  question.candidates = candidates;
  question.ready = 3;
  question.current = 0;
  question.arrived = true;
  question.op.site = SiteKey{7};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Schedule schedule = random(seed);
    schedule.switches = {{ThreadId{0}, SiteKey{7}, 1, ThreadId{2}}};
    Policy& policy = policy_for(schedule);
    policy.start(schedule);
    question.thread = ThreadId{0};
    question.current = 0;
    ASSERT_EQ(policy.pick(question).index, 2U);
    question.thread = ThreadId{2};
    question.current = 2;
    ASSERT_EQ(policy.pick(question).index, 2U);
  }
}

TEST(RandomPolicy, SometimesLetsATimeoutFire) {
  const std::array candidates{ready(0), waiting(1, Readiness::kTimeout), waiting(2, Readiness::kTimeout)};
  Question question;
  question.candidates = candidates;
  question.ready = 1;
  question.current = 0;
  const std::vector<int> counts = first_choices(question, 16'000);
  EXPECT_NEAR(counts[1], 500, 90);
  EXPECT_NEAR(counts[2], 500, 90);
}

TEST(RandomPolicy, SeldomWakesSomebodyForNoReason) {
  const std::array candidates{ready(0), ready(1), waiting(2, Readiness::kSpurious)};
  Question question;
  question.candidates = candidates;
  question.ready = 2;
  const std::vector<int> counts = first_choices(question, 64'000);
  EXPECT_NEAR(counts[2], 1'000, 130);
}

TEST(RandomPolicy, LetsATimeoutFireWhenNothingElseCanRun) {
  const std::array candidates{waiting(0, Readiness::kSpurious), waiting(1, Readiness::kTimeout),
                              waiting(2, Readiness::kSpurious), waiting(3, Readiness::kTimeout)};
  Question question;
  question.candidates = candidates;
  const std::vector<int> counts = first_choices(question, 1'000);
  EXPECT_EQ(counts[0] + counts[2], 0);
  EXPECT_NEAR(counts[1], 500, 70);
}

TEST(RandomPolicy, WakesAnyOfThoseThatWait) {
  const std::array candidates{ready(3), ready(1), ready(2)};
  Question question;
  question.kind = QuestionKind::kWakeup;
  question.candidates = candidates;
  for (const int count : first_choices(question, 3'000)) EXPECT_NEAR(count, 1'000, 110);
}

}  // namespace
}  // namespace weavefuzz
