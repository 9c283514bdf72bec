// What a benchmark found, and how it is shown.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fuzzer/command/statistics.h"

namespace weavefuzz::command {

struct Budget {
  enum class Of { kValue, kRatio };
  enum class Bound { kAtLeast, kBelow };
  Of of = Of::kValue;
  Bound bound = Bound::kBelow;
  double limit = 0;
};

struct Measurement {
  std::string name;
  std::string unit;
  Spread value;
  std::optional<double> baseline;  // what it is compared with
  std::optional<double> ratio;     // value / baseline
  std::optional<Budget> budget;

  // Nothing without a budget, or without the ratio that it is about.
  std::optional<bool> within_budget() const;
};

// "ratio >= 30", "< 8 ns"
std::string to_text(const Budget& budget, std::string_view unit);

// A table with one line each, for a person.
std::string to_table(std::span<const Measurement> measurements);

// An array with one object each, for a machine.
std::string to_json(std::span<const Measurement> measurements);

// With quotes around it.
std::string json_string(std::string_view text);

}  // namespace weavefuzz::command
