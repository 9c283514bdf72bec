// Several measurements of the same thing, in three numbers.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace weavefuzz::command {

// The mean of the two in the middle where there is no one; 0 of nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
  friend bool operator==(const Spread&, const Spread&) = default;
};

inline Spread spread(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [min, max] = std::ranges::minmax(values);
  return {median(values), min, max};
}

// values[i] / baselines[i]: measured one after the other, each pair saw the same load. Pairs with
// nothing to divide by are left out.
inline std::vector<double> pairwise_ratios(const std::vector<double>& values, const std::vector<double>& baselines) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(values.size(), baselines.size()); ++i)
    if (baselines[i] != 0) ratios.push_back(values[i] / baselines[i]);
  return ratios;
}

}  // namespace weavefuzz::command
