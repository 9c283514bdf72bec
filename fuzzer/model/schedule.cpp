#include "fuzzer/model/schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace weavefuzz {
namespace {

constexpr std::size_t kSwitchesShown = 8;

bool can_apply(const Switch& forced) { return forced.occurrence != 0 && forced.to != forced.thread; }

std::string hex(std::uint32_t number) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  const auto used = static_cast<std::size_t>(end - digits.data());
  return std::string(digits.size() - used, '0') + std::string(digits.data(), used);
}

std::string to_string(const Switch& forced) {
  return "t" + std::to_string(forced.thread.value) + "@" + hex(forced.site.value) + "#" +
         std::to_string(forced.occurrence) + "->t" + std::to_string(forced.to.value);
}

}  // namespace

void normalise(Schedule& schedule) {
  std::vector<Switch>& switches = schedule.switches;
  std::erase_if(switches, [](const Switch& forced) { return !can_apply(forced); });
  std::ranges::sort(switches);
  const auto repeated = std::ranges::unique(switches, {}, anchor_of);
  switches.erase(repeated.begin(), repeated.end());
}

bool is_normalised(const Schedule& schedule) {
  const std::vector<Switch>& switches = schedule.switches;
  const auto out_of_order = [](const Switch& a, const Switch& b) { return anchor_of(a) >= anchor_of(b); };
  return std::ranges::all_of(switches, can_apply) &&
         std::ranges::adjacent_find(switches, out_of_order) == switches.end();
}

std::string to_string(const Schedule& schedule) {
  const char* name = policy_name(schedule.policy);
  std::string text = name != nullptr ? name : "policy " + std::to_string(static_cast<unsigned>(schedule.policy));
  text += " seed=" + std::to_string(schedule.seed);

  const std::size_t count = schedule.switches.size();
  if (count == 0) return text + ", no switches";
  text += ", " + std::to_string(count) + (count == 1 ? " switch:" : " switches:");
  for (std::size_t i = 0; i < std::min(count, kSwitchesShown); ++i) text += " " + to_string(schedule.switches[i]);
  return count > kSwitchesShown ? text + " ..." : text;
}

}  // namespace weavefuzz
