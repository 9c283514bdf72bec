#include "fuzzer/model/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace weavefuzz {

namespace {

// How many letters to add, drop or replace to turn one into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view wrong, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t limit = wrong.size() / 3 + 2;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(wrong, name);
    if (distance >= limit) continue;
    limit = distance;
    best = name;
  }
  return best;
}

}  // namespace weavefuzz
