#include "fuzzer/model/input.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "fuzzer/model/rng.h"
#include "tests/unit/allocations.h"

namespace weavefuzz {
namespace {

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Bytes kEnd = {1, 'w', 'e', 'a', 'v'};
const Bytes kWrittenEmpty = Bytes{0, 0, 0, 3, 0} + kEnd;

Switch at(std::uint32_t thread, std::uint32_t site, std::uint32_t occurrence, std::uint32_t to) {
  return {ThreadId{thread}, SiteKey{site}, occurrence, ThreadId{to}};
}

// Numbers of every length, small ones more often.
std::uint64_t any_number(Rng& rng) { return rng.next() >> rng.below(64); }

Input any_input(Rng& rng) {
  Input input;
  for (std::uint64_t i = rng.below(20); i > 0; --i) input.payload.push_back(static_cast<std::uint8_t>(rng.next()));
  if (rng.below(8) == 0) input.payload = input.payload + bytes_of("weav");
  input.schedule.policy = static_cast<PolicyId>(rng.below(2));
  input.schedule.seed = rng.below(4) == 0 ? 0 : any_number(rng);
  for (std::uint64_t i = rng.below(4) * rng.below(8); i > 0; --i)
    input.schedule.switches.push_back(
        at(static_cast<std::uint32_t>(any_number(rng)), static_cast<std::uint32_t>(rng.next()),
           static_cast<std::uint32_t>(any_number(rng)), static_cast<std::uint32_t>(any_number(rng))));
  normalise(input.schedule);
  return input;
}

// Everything that must hold of any bytes. Written without EXPECT, because it runs millions of
// times.
bool holds_for(const Bytes& bytes, Schedule& schedule, std::size_t& well_formed) {
  const ByteView payload = decode(bytes, schedule);
  if (payload.data() != bytes.data() || payload.size() > bytes.size()) return false;
  if (!is_normalised(schedule)) return false;
  const Bytes again = encode(payload, schedule);
  const Result<Input> strict = decode_strict(bytes);
  if (!strict) {
    // All of it is payload, and it takes a written empty schedule to say so.
    const Error& error = strict.error();
    return payload.size() == bytes.size() && schedule.empty() && !error.what.empty() && !error.hint.empty() &&
           again == bytes + kWrittenEmpty;
  }
  if (payload.size() < bytes.size()) ++well_formed;
  return again == bytes && strict.value().schedule == schedule &&
         strict.value().payload == Bytes(payload.begin(), payload.end());
}

std::string what_is_wrong(const Bytes& bytes) {
  const Result<Input> result = decode_strict(bytes);
  return result ? "nothing" : result.error().what;
}

TEST(Input, IsOnlyPayloadWithoutASchedule) {
  const Bytes plain = bytes_of("an old corpus file");
  Schedule schedule{.policy = PolicyId::kRandom, .seed = 3, .switches = {at(0, 1, 1, 1)}};
  EXPECT_EQ(decode(plain, schedule).size(), plain.size());
  EXPECT_TRUE(schedule.empty());
  EXPECT_EQ(encode(plain, schedule), plain);
  EXPECT_EQ(encode({}, {}), Bytes{});
}

TEST(Input, HasTheDocumentedBytes) {
  const Schedule schedule{
      .policy = PolicyId::kRandom, .seed = 300, .switches = {at(1, 0x04030201, 1, 2), at(200, 9, 128, 0)}};
  const Bytes expected = bytes_of("ab") + Bytes{1, 0xAC, 2, 2} +   // policy, seed, count
                         Bytes{1, 1, 2, 3, 4, 1, 2} +              // first switch
                         Bytes{0xC8, 1, 9, 0, 0, 0, 0x80, 1, 0} +  // second switch
                         Bytes{20, 0} + kEnd;
  EXPECT_EQ(encode(bytes_of("ab"), schedule), expected);
}

TEST(Input, RoundTrips) {
  Rng rng(1);
  Schedule schedule;
  for (int i = 0; i < 50'000; ++i) {
    const Input input = any_input(rng);
    const Bytes bytes = encode(input);
    ASSERT_EQ(bytes.size(), encoded_size(input.payload, input.schedule));
    const Result<Input> strict = decode_strict(bytes);
    ASSERT_TRUE(strict) << to_string(strict.error());
    ASSERT_EQ(strict.value(), input);
    ASSERT_EQ(decode(bytes, schedule).size(), input.payload.size());
    ASSERT_EQ(schedule, input.schedule);
  }
}

TEST(Input, RoundTripsAPayloadThatEndsLikeASchedule) {
  Schedule random{.policy = PolicyId::kRandom, .seed = 5, .switches = {}};
  const Bytes with_schedule = encode(bytes_of("x"), random);
  for (const Bytes& payload : {with_schedule, with_schedule + kWrittenEmpty, kWrittenEmpty,
                               kWrittenEmpty + kWrittenEmpty, bytes_of("weav"), kEnd}) {
    for (const Schedule& schedule : {Schedule{}, random}) {
      const Input input{payload, schedule};
      const Result<Input> result = decode_strict(encode(input));
      ASSERT_TRUE(result) << to_string(result.error());
      EXPECT_EQ(result.value(), input);
    }
    EXPECT_EQ(encode(payload, {}), payload + kWrittenEmpty);
  }
}

TEST(Input, RoundTripsTheLargestSchedule) {
  Input input;
  input.schedule = {.policy = PolicyId::kRandom, .seed = ~std::uint64_t{0}, .switches = {}};
  for (std::uint32_t i = 0; i < kMaxSwitches; ++i)
    input.schedule.switches.push_back(at(0xFFFF'FF00, i, 0xFFFF'FFFF, 0xFFFF'FFFF));
  const Result<Input> result = decode_strict(encode(input));
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result.value(), input);
}

TEST(Input, EncodeNormalisesAndKeepsToTheLimit) {
  Schedule schedule;
  for (std::uint32_t i = kMaxSwitches + 10; i > 0; --i) schedule.switches.push_back(at(0, i, 1, 1));
  schedule.switches.push_back(at(0, 5, 0, 1));
  const Result<Input> result = decode_strict(encode({}, schedule));
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result.value().schedule.switches.size(), kMaxSwitches);
  EXPECT_EQ(result.value().schedule.switches.front(), at(0, 1, 1, 1));
}

TEST(Input, AnyBytesDecodeAndEncodeToThemselves) {
  Rng rng(2);
  Schedule schedule;
  Bytes bytes;
  std::size_t well_formed = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    // Small numbers in every other one, because they look like a schedule more often.
    const std::uint64_t mask = i % 2 == 0 ? 0x0301'0103'0103'0101U : ~std::uint64_t{0};
    std::array<std::uint64_t, 4> words{};
    for (std::uint64_t& word : words) word = rng.next() & mask;
    const auto* const first = reinterpret_cast<const std::uint8_t*>(words.data());
    bytes.assign(first, first + rng.below(sizeof(words)));
    if (rng.below(4) == 0) {
      bytes.push_back(static_cast<std::uint8_t>(rng.below(2) == 0 ? 3 : rng.below(20)));
      bytes.push_back(rng.below(64) == 0 ? 1 : 0);
      bytes.insert(bytes.end(), kEnd.begin(), kEnd.end());
    }
    ASSERT_TRUE(holds_for(bytes, schedule, well_formed)) << testing::PrintToString(bytes);
  }
  EXPECT_GT(well_formed, 10'000U);
}

TEST(Input, AnyChangeToAnEncodingStillDecodes) {
  Rng rng(3);
  Schedule schedule;
  std::size_t well_formed = 0;
  for (int i = 0; i < 100'000; ++i) {
    Bytes bytes = encode(any_input(rng));
    for (std::uint64_t n = 1 + rng.below(3); n > 0 && !bytes.empty(); --n) {
      const std::size_t place = rng.below(bytes.size());
      const auto there = bytes.begin() + static_cast<std::ptrdiff_t>(place);
      switch (rng.below(4)) {
        case 0: bytes.erase(there); break;
        case 1: bytes.insert(there, static_cast<std::uint8_t>(rng.next())); break;
        case 2: *there = static_cast<std::uint8_t>(*there ^ (1U << rng.below(8))); break;
        default: bytes.insert(bytes.end(), kEnd.begin(), kEnd.end());
      }
    }
    ASSERT_TRUE(holds_for(bytes, schedule, well_formed)) << testing::PrintToString(bytes);
  }
  EXPECT_GT(well_formed, 10'000U);
}

TEST(Input, ACutOffEncodingIsPayload) {
  Rng rng(4);
  Schedule schedule;
  std::size_t well_formed = 0;
  for (int i = 0; i < 1'000; ++i) {
    const Bytes bytes = encode(any_input(rng));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const Bytes head(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      const Bytes tail(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end());
      ASSERT_TRUE(holds_for(head, schedule, well_formed));
      ASSERT_TRUE(holds_for(tail, schedule, well_formed));
    }
  }
}

TEST(Input, DecodeTakesNoMemoryWhereThereIsEnough) {
  Input input;
  for (std::uint32_t i = 0; i < 100; ++i) input.schedule.switches.push_back(at(0, i, 1, 1));
  const Bytes large = encode(input);
  input.schedule.switches.resize(50);
  const Bytes small = encode(input);
  Schedule schedule;
  decode(large, schedule);
  const std::size_t before = allocations();
  decode(small, schedule);
  decode(bytes_of(""), schedule);
  decode(large, schedule);
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(schedule.switches.size(), 100U);
}

TEST(Input, StrictSaysWhatIsWrong) {
  const Bytes one_switch = {1, 0, 0, 0, 0, 1, 0};
  const std::string bad_number = "its schedule has a number that is cut off, too large or longer than needed";
  EXPECT_EQ(what_is_wrong(bytes_of("weav")), "ends like a schedule, but 4 bytes are too few to hold one");
  EXPECT_EQ(what_is_wrong(bytes_of("x") + Bytes{1, 0, 0, 3, 0, 2} + bytes_of("weav")),
            "schedule format v2, this build reads v1");
  EXPECT_EQ(what_is_wrong(Bytes{1, 0, 0, 4, 0} + kEnd),
            "its schedule should be 4 bytes long, but the file has only 3 before the end mark");
  EXPECT_EQ(what_is_wrong(Bytes{250, 0, 0, 3, 0} + kEnd),
            "its schedule asks for policy number 250, which this build lacks");
  EXPECT_EQ(what_is_wrong(Bytes{0, 0} + kEnd), bad_number);                 // nothing at all
  EXPECT_EQ(what_is_wrong(Bytes{1, 0x80, 0, 0, 4, 0} + kEnd), bad_number);  // needless byte
  EXPECT_EQ(what_is_wrong(Bytes{1, 5, 1, 3, 0} + kEnd), bad_number);        // no switch
  EXPECT_EQ(what_is_wrong(Bytes{1, 5, 0x81, 0x18, 4, 0} + kEnd),
            "its schedule has 3073 switches, more than the limit of 3072");
  EXPECT_EQ(what_is_wrong(Bytes{1, 5, 2} + one_switch + one_switch + Bytes{17, 0} + kEnd),
            "the switches of its schedule are out of order, given twice or can never apply");
  EXPECT_EQ(what_is_wrong(Bytes{1, 5, 1} + one_switch + Bytes{7, 7, 12, 0} + kEnd),
            "its schedule has 2 bytes too many after the last switch");
  EXPECT_EQ(what_is_wrong(bytes_of("x") + kWrittenEmpty),
            "it spells out an empty schedule, which is written as nothing at all");
  EXPECT_EQ(what_is_wrong(Bytes{1, 5, 1} + one_switch + Bytes{10, 0} + kEnd), "nothing");
}

TEST(Input, StrictRejectsNumbersThatDoNotFit) {
  const Bytes most = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1};
  Bytes too_large = most;
  too_large.back() = 2;
  Bytes too_long = most;
  too_long.back() = 0x81;
  EXPECT_EQ(what_is_wrong(Bytes{1} + most + Bytes{0, 12, 0} + kEnd), "nothing");
  EXPECT_NE(what_is_wrong(Bytes{1} + too_large + Bytes{0, 12, 0} + kEnd), "nothing");
  EXPECT_NE(what_is_wrong(Bytes{1} + too_long + Bytes{0, 0, 13, 0} + kEnd), "nothing");
  // The same limit for 32 bits, in the thread of a switch.
  const Bytes rest = {0, 0, 0, 0, 1, 0, 15, 0};
  EXPECT_NE(what_is_wrong(Bytes{1, 5, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F} + rest + kEnd), "nothing");
}

}  // namespace
}  // namespace weavefuzz
