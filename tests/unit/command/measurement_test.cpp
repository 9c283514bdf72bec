#include "fuzzer/command/measurement.h"

#include <gtest/gtest.h>

namespace weavefuzz::command {
namespace {

const Budget kRatioOfThirty{Budget::Of::kRatio, Budget::Bound::kAtLeast, 30};
const Budget kBelowEight{Budget::Of::kValue, Budget::Bound::kBelow, 8};

TEST(Statistics, MedianIsTheOneInTheMiddle) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({5}), 5);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({1, 100, 3, 2}), 2.5);
}

TEST(Statistics, SpreadKeepsTheExtremes) {
  EXPECT_EQ(spread({}), Spread{});
  EXPECT_EQ(spread({3, 1, 2}), (Spread{2, 1, 3}));
  EXPECT_EQ(spread({-4}), (Spread{-4, -4, -4}));
}

TEST(Statistics, RatiosAreOfWhatWasMeasuredTogether) {
  EXPECT_EQ(pairwise_ratios({10, 40}, {5, 4}), (std::vector<double>{2, 10}));
  EXPECT_EQ(pairwise_ratios({10, 40, 1}, {0, 4}), (std::vector<double>{10}));
  EXPECT_TRUE(pairwise_ratios({1}, {}).empty());
}

TEST(Measurement, KeepsToItsBudgetOrNot) {
  Measurement m{.name = "x", .unit = "ns", .value = {8, 7, 9}};
  EXPECT_EQ(m.within_budget(), std::nullopt);
  m.budget = kBelowEight;
  EXPECT_EQ(m.within_budget(), false);
  m.value.median = 7.9;
  EXPECT_EQ(m.within_budget(), true);
  m.budget = kRatioOfThirty;
  EXPECT_EQ(m.within_budget(), std::nullopt);
  m.ratio = 30;
  EXPECT_EQ(m.within_budget(), true);
  m.ratio = 29.9;
  EXPECT_EQ(m.within_budget(), false);
}

TEST(Measurement, TableHasOneLineEach) {
  const std::vector<Measurement> rows{
      {"runs", "runs/s", {300000, 290000.4, 310000}, 10000, 30.02, kRatioOfThirty},
      {"hook", "ns", {2.345, 2, 12.34}, std::nullopt, std::nullopt, kBelowEight},
      {"other", "MB", {0.0041, -0.5, 1}, 28.1, 0.00021, std::nullopt},
  };
  EXPECT_EQ(to_table(rows),
            "name   value          min..max        baseline  ratio   budget       within\n"
            "runs   300000 runs/s  290000..310000  10000     30.0    ratio >= 30  yes\n"
            "hook   2.35 ns        2..12.3         -         -       < 8 ns       yes\n"
            "other  0.004 MB       -0.50..1        28.1      0.0002  -            -\n");
}

TEST(Measurement, JsonHasEveryKey) {
  EXPECT_EQ(to_json({}), "[\n]\n");
  const std::vector<Measurement> rows{
      {"runs", "runs/s", {300000, 290000, 310000}, 10000, 30.5, kRatioOfThirty},
      {"hook", "ns", {2.5, 2, 3}, std::nullopt, std::nullopt, std::nullopt},
  };
  EXPECT_EQ(to_json(rows),
            "[\n"
            " {\"name\": \"runs\", \"value\": 300000, \"baseline\": 10000, \"ratio\": 30.5, \"unit\": \"runs/s\", "
            "\"min\": 290000, \"max\": 310000, \"budget\": 30, \"budget_text\": \"ratio >= 30\", "
            "\"within_budget\": true},\n"
            " {\"name\": \"hook\", \"value\": 2.5, \"baseline\": null, \"ratio\": null, \"unit\": \"ns\", "
            "\"min\": 2, \"max\": 3, \"budget\": null, \"budget_text\": null, \"within_budget\": null}\n"
            "]\n");
}

TEST(Measurement, JsonStringsAreEscaped) {
  EXPECT_EQ(json_string("plain"), "\"plain\"");
  EXPECT_EQ(json_string("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\u000a\\u0001\"");
  EXPECT_EQ(json_string("\xC3\xA9"), "\"\xC3\xA9\"");
}

}  // namespace
}  // namespace weavefuzz::command
