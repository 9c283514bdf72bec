#include "fuzzer/mutate/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace weavefuzz {
namespace {

Switch at(std::uint32_t thread, std::uint32_t site, std::uint32_t occurrence, std::uint32_t to) {
  return {ThreadId{thread}, SiteKey{site}, occurrence, ThreadId{to}};
}

const std::array kRecent{Anchor{ThreadId{0}, SiteKey{10}, 1}, Anchor{ThreadId{1}, SiteKey{10}, 2},
                         Anchor{ThreadId{2}, SiteKey{11}, 1}};
constexpr std::array kBothPolicies{PolicyId::kFollow, PolicyId::kRandom};

// Adds a byte if there is room, else changes one.
std::size_t grow(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  if (size < max_size) data[size++] = 'G';
  if (size > 0) data[0] ^= 1;
  return size;
}

std::size_t overflow(std::uint8_t*, std::size_t, std::size_t max_size) { return max_size + 100; }

MutationContext context() {
  return {.recent = kRecent, .threads = 4, .policies = kBothPolicies, .mutate_payload = grow};
}

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

Input rich_input() {
  return {bytes_of("payload"),
          {PolicyId::kRandom, 123'456'789, {at(0, 10, 2, 1), at(1, 10, 1, 2), at(1, 12, 3, 0), at(2, 11, 1, 3)}}};
}

Bytes mutated(Bytes bytes, std::size_t max_size, std::uint32_t seed, const MutationContext& how) {
  const std::size_t size = bytes.size();
  // Exactly the room that is promised, so that a sanitizer sees a byte too many.
  bytes.resize(std::max(size, max_size), 0xEE);
  bytes.shrink_to_fit();
  const std::size_t result = mutate(bytes.data(), size, max_size, seed, how);
  EXPECT_LE(result, max_size);
  bytes.resize(result);
  return bytes;
}

Input mutated(const Input& input, std::uint32_t seed, const MutationContext& how) {
  const Result<Input> result = decode_strict(mutated(encode(input), 4096, seed, how));
  EXPECT_TRUE(result);
  return result ? result.value() : Input{};
}

const ScheduleMutation& row(std::string_view name) {
  const auto rows = schedule_mutations();
  return *std::ranges::find_if(rows, [&](const ScheduleMutation& r) { return r.name == name; });
}

TEST(Mutate, IsTheSameForTheSameSeed) {
  const Bytes bytes = encode(rich_input());
  std::set<Bytes> results;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const Bytes result = mutated(bytes, 100, seed, context());
    EXPECT_EQ(result, mutated(bytes, 100, seed, context()));
    results.insert(result);
  }
  EXPECT_GT(results.size(), 60U);
}

TEST(Mutate, AlwaysGivesAWellFormedInputThatFits) {
  Rng rng(1);
  MutationContext how = context();
  for (std::uint32_t seed = 0; seed < 100'000; ++seed) {
    Input input = rich_input();
    input.payload.resize(rng.below(12), 'x');
    if (rng.below(4) == 0) std::ranges::copy(bytes_of("weav"), std::back_inserter(input.payload));
    if (rng.below(4) == 0) input.schedule = {};
    input.schedule.switches.resize(rng.below(input.schedule.switches.size() + 1));
    input.schedule.seed >>= rng.below(32);
    how.mutate_payload = std::array{grow, overflow}[rng.below(2)];
    how.threads = static_cast<std::uint32_t>(rng.below(5));
    if (rng.below(8) == 0) how.mutate_payload = nullptr;
    how.recent = std::span(kRecent).first(rng.below(4));

    const Bytes bytes = encode(input);
    const std::size_t max_size = 1 + rng.below(bytes.size() + 8);
    const Bytes result = mutated(bytes, max_size, seed, how);
    ASSERT_FALSE(result.empty());
    const Result<Input> decoded = decode_strict(result);
    ASSERT_TRUE(decoded) << to_string(decoded.error());
  }
}

TEST(Mutate, TakesAnyBytes) {
  Rng rng(2);
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    Bytes bytes(rng.below(40));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng.below(3));
    if (rng.below(2) == 0) std::ranges::copy(bytes_of("\x01weav"), std::back_inserter(bytes));
    const Bytes result = mutated(bytes, 1 + rng.below(60), seed, context());
    ASSERT_FALSE(result.empty());
    ASSERT_TRUE(decode_strict(result));
  }
}

TEST(Mutate, GivesNothingOnlyWhereThereIsNoRoom) {
  std::uint8_t byte = 'x';
  EXPECT_EQ(mutate(&byte, 1, 0, 1, context()), 0U);
  MutationContext how;  // knows nothing
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(mutated(Bytes{}, 1, seed, how).size(), 1U);
    EXPECT_FALSE(mutated(Bytes{}, 100, seed, how).empty());
  }
}

TEST(Mutate, ChangesScheduleAndPayloadInTheirShares) {
  const Input before = rich_input();
  int payload = 0;
  int schedule = 0;
  for (std::uint32_t seed = 0; seed < 8'000; ++seed) {
    const Input after = mutated(before, seed, context());
    payload += after.payload != before.payload ? 1 : 0;
    schedule += after.schedule != before.schedule ? 1 : 0;
  }
  EXPECT_NEAR(payload, 2'000, 150);
  EXPECT_NEAR(schedule, 7'000, 250);  // an added switch may be there already
}

TEST(Mutate, GivesAnEmptyScheduleAPolicyAndWhatItNeeds) {
  const Input before{bytes_of("old corpus file"), {}};
  MutationContext how = context();
  how.mutate_payload = nullptr;
  std::set<PolicyId> policies;
  for (std::uint32_t seed = 0; seed < 1'000; ++seed) {
    const Input after = mutated(before, seed, how);
    EXPECT_EQ(after.payload, before.payload);
    if (after.schedule.empty()) continue;
    policies.insert(after.schedule.policy);
    // Otherwise it would be the same run as without a schedule.
    EXPECT_EQ(after.schedule.policy == PolicyId::kFollow, after.schedule.switches.size() == 1);
  }
  EXPECT_EQ(policies.size(), 2U);
}

TEST(Mutate, UsesOnlyThePoliciesThatAreAllowed) {
  MutationContext how = context();
  for (const PolicyId only : kBothPolicies) {
    const std::array allowed{only};
    how.policies = allowed;
    Input input;
    for (std::uint32_t seed = 0; seed < 1'000; ++seed) {
      input = mutated(input, seed, how);
      if (!input.schedule.empty()) {
        ASSERT_EQ(input.schedule.policy, only);
      }
      input.payload.clear();
    }
  }
}

TEST(Mutate, AddsSwitchesOnlyAtPlacesThatWereReached) {
  Input input;
  input.schedule.policy = PolicyId::kRandom;
  std::set<Switch> seen;
  for (std::uint32_t seed = 0; seed < 1'000; ++seed)
    for (const Switch& forced : mutated(input, seed, context()).schedule.switches) {
      EXPECT_NE(std::ranges::find(kRecent, anchor_of(forced)), kRecent.end());
      EXPECT_LT(forced.to.value, 4U);
      seen.insert(forced);
    }
  EXPECT_EQ(seen.size(), 9U);  // three places, three other threads each
}

TEST(Mutate, ReachesEveryRow) {
  const Schedule before = rich_input().schedule;
  const auto has_switches = [](std::size_t count) {
    return [count](const Schedule& s) { return s.switches.size() == count && s.seed == 123'456'789; };
  };
  const auto same_but = [&](auto erase) {
    return [&before, erase](Schedule s) {
      Schedule was = before;
      if (s.switches.size() != was.switches.size() || s == was) return false;
      for (Schedule* schedule : {&s, &was}) {
        for (Switch& forced : schedule->switches) erase(forced);
        std::ranges::sort(schedule->switches);
      }
      return s == was;
    };
  };
  struct Sign {
    const char* row;
    std::function<bool(const Schedule&)> seen;
  };
  const std::array signs{
      Sign{"new seed",
           [&](const Schedule& s) {
             return s.policy == PolicyId::kRandom && s.seed != before.seed && s.seed != 0 &&
                    s.switches == before.switches;
           }},
      Sign{"change policy",
           [&](const Schedule& s) { return s.policy == PolicyId::kFollow && s.switches == before.switches; }},
      Sign{"add a switch",
           [&](const Schedule& s) {
             return s.switches.size() == 5 && std::ranges::count(s.switches, at(1, 10, 2, 0)) == 1;
           }},
      Sign{"drop a switch", has_switches(3)},
      Sign{"retarget a switch", same_but([](Switch& forced) { forced.to = {}; })},
      Sign{"move a switch", same_but([](Switch& forced) { forced.occurrence = 0; })},
      Sign{"copy a switch",
           [&](const Schedule& s) {
             return s.switches.size() == 5 && std::ranges::count(s.switches, at(1, 12, 4, 0)) == 1;
           }},
      Sign{"clear switches", has_switches(0)},
      Sign{"make empty", [](const Schedule& s) { return s.empty(); }},
  };
  ASSERT_EQ(signs.size(), schedule_mutations().size());
  for (std::size_t i = 0; i < signs.size(); ++i) {
    EXPECT_STREQ(signs[i].row, schedule_mutations()[i].name);
    bool seen = false;
    for (std::uint32_t seed = 0; seed < 4'000 && !seen; ++seed)
      seen = signs[i].seen(mutated(rich_input(), seed, context()).schedule);
    EXPECT_TRUE(seen) << signs[i].row;
  }
}

TEST(ScheduleMutation, ChangesNothingWhereItDoesNotApply) {
  Rng rng(3);
  const MutationContext nothing;
  for (const ScheduleMutation& mutation : schedule_mutations()) {
    if (std::string_view(mutation.name) == "change policy") continue;
    Schedule schedule;
    EXPECT_FALSE(mutation.apply(schedule, rng, nothing)) << mutation.name;
    EXPECT_TRUE(schedule.empty()) << mutation.name;
  }
  // With two threads there is no other target.
  Schedule schedule{PolicyId::kFollow, 0, {at(0, 10, 1, 1)}};
  EXPECT_FALSE(row("retarget a switch").apply(schedule, rng, {.recent = {}, .threads = 2, .policies = {}}));
  EXPECT_EQ(schedule.switches[0], at(0, 10, 1, 1));
}

TEST(ScheduleMutation, MovesASwitchByOneAndNeverToNought) {
  Rng rng(4);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 100; ++i) {
    Schedule schedule{PolicyId::kFollow, 0, {at(0, 10, 1, 1)}};
    ASSERT_TRUE(row("move a switch").apply(schedule, rng, {}));
    EXPECT_EQ(schedule.switches[0].occurrence, 2U);
    ASSERT_TRUE(row("move a switch").apply(schedule, rng, {}));
    seen.insert(schedule.switches[0].occurrence);
  }
  EXPECT_EQ(seen, (std::set<std::uint32_t>{1, 3}));
}

TEST(Mutate, SimplifiesWhatIsTooLong) {
  const Input before = rich_input();
  const Bytes bytes = encode(before);
  std::set<std::string> seen;
  for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
    const Result<Input> result = decode_strict(mutated(bytes, bytes.size() - 1, seed, context()));
    ASSERT_TRUE(result);
    const auto& [payload, schedule] = result.value();
    ASSERT_LE(payload.size(), before.payload.size());
    ASSERT_LE(schedule.seed, before.schedule.seed);
    ASSERT_TRUE(std::ranges::includes(before.schedule.switches, schedule.switches));
    const bool same_payload = payload == before.payload;
    const bool same_switches = schedule.switches == before.schedule.switches;
    if (!same_payload && same_switches && schedule.seed == before.schedule.seed) seen.insert("payload");
    if (same_payload && schedule.switches.size() == 3) seen.insert("one switch");
    if (same_payload && schedule.switches.size() == 1) seen.insert("many switches");
    if (same_payload && same_switches && schedule.policy == PolicyId::kRandom && schedule.seed > 127)
      seen.insert("shorter seed");
    if (same_payload && same_switches && schedule.policy == PolicyId::kRandom && schedule.seed < 127)
      seen.insert("short seed");
    if (same_payload && same_switches && schedule.policy == PolicyId::kFollow) seen.insert("predictable");
  }
  EXPECT_EQ(seen, (std::set<std::string>{"payload", "one switch", "many switches", "shorter seed", "short seed",
                                         "predictable"}));
}

TEST(Mutate, KeepsTheScheduleWhileItFits) {
  Input input{Bytes(100, 'x'), {PolicyId::kRandom, 5, {}}};
  const Bytes bytes = encode(input);
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Bytes small = mutated(bytes, 12, seed, context());
    const Bytes smaller = mutated(bytes, 6, seed, context());
    ASSERT_TRUE(decode_strict(small) && decode_strict(smaller));
    const Input twelve = decode_strict(small).value();
    if (twelve.schedule.empty()) {
      EXPECT_LE(twelve.payload.size(), 12U);
    } else {
      EXPECT_LE(twelve.payload.size(), 2U);
    }
    EXPECT_TRUE(decode_strict(smaller).value().schedule.empty());
  }
}

TEST(Mutate, ShortensTheSeedBeforeItGivesUpASchedule) {
  MutationContext how = context();
  how.policies = std::span(kBothPolicies).last(1);
  int with_schedule = 0;
  for (std::uint32_t seed = 0; seed < 800; ++seed) {
    const Bytes result = mutated(bytes_of("0123456789"), 10, seed, how);
    Schedule schedule;
    decode(result, schedule);
    EXPECT_LT(schedule.seed, 128U);
    with_schedule += schedule.empty() ? 0 : 1;
  }
  EXPECT_NEAR(with_schedule, 700, 60);
}

TEST(Mutate, DropsWhatALongerInputLeftBehind) {
  // libFuzzer minimizes with several mutations on top of each other, but always passes the size of
  // the first input.
  const Bytes first = encode(rich_input());
  Input shorter = rich_input();
  shorter.payload.pop_back();
  Bytes second = encode(shorter);
  second.insert(second.end(), first.begin() + static_cast<std::ptrdiff_t>(second.size()), first.end());
  ASSERT_EQ(second.size(), first.size());
  int with_schedule = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const Result<Input> result = decode_strict(mutated(second, first.size() - 1, seed, context()));
    ASSERT_TRUE(result);
    EXPECT_LE(encode(result.value()).size(), encode(shorter).size());
    with_schedule += result.value().schedule.empty() ? 0 : 1;
  }
  EXPECT_GT(with_schedule, 90);
}

// Both halves of what it is given, and a check that this is payload only.
std::size_t join_payloads(const std::uint8_t* first, std::size_t first_size, const std::uint8_t* second,
                          std::size_t second_size, std::uint8_t* out, std::size_t max_size, unsigned) {
  EXPECT_EQ(Bytes(first, first + first_size), Bytes({1, 2, 3}));
  EXPECT_EQ(Bytes(second, second + second_size), Bytes({4, 5}));
  Bytes joined{1, 2, 3, 4, 5};
  joined.resize(std::min(joined.size(), max_size));
  std::ranges::copy(joined, out);
  return joined.size();
}

TEST(CrossOver, GivesTheHarnessPayloadsAndKeepsOneOfTheSchedules) {
  Schedule one{.policy = PolicyId::kRandom, .seed = 11};
  Schedule two{.policy = PolicyId::kRandom, .seed = 22};
  const Bytes first = encode(Bytes{1, 2, 3}, one);
  const Bytes second = encode(Bytes{4, 5}, two);
  int of_first = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Bytes out(64);
    out.resize(cross_over(first, second, out.data(), out.size(), seed, join_payloads));
    const Result<Input> made = decode_strict(out);
    ASSERT_TRUE(made);
    EXPECT_EQ(made.value().payload, Bytes({1, 2, 3, 4, 5}));
    of_first += made.value().schedule == one ? 1 : 0;
    EXPECT_TRUE(made.value().schedule == one || made.value().schedule == two);
  }
  EXPECT_GT(of_first, 0);
  EXPECT_LT(of_first, 100);
}

TEST(CrossOver, FitsWhateverRoomThereIs) {
  const Bytes first = encode(Bytes{1, 2, 3}, Schedule{.policy = PolicyId::kRandom, .seed = 1U << 20});
  const Bytes second{4, 5};
  for (std::size_t room = 1; room < 40; ++room)
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      Bytes out(room);
      const std::size_t size = cross_over(first, second, out.data(), room, seed, join_payloads);
      ASSERT_LE(size, room);
      out.resize(size);
      EXPECT_TRUE(decode_strict(out));
    }
}

TEST(CrossOver, MakesNothingWhereTheHarnessDoes) {
  const Bytes input{1, 2, 3};
  Bytes out(16);
  const auto nothing = [](const std::uint8_t*, std::size_t, const std::uint8_t*, std::size_t, std::uint8_t*,
                          std::size_t, unsigned) -> std::size_t { return 0; };
  EXPECT_EQ(cross_over(input, input, out.data(), out.size(), 1, nothing), 0U);
}

}  // namespace
}  // namespace weavefuzz
