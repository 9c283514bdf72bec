#include "fuzzer/command/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>

namespace weavefuzz::command {

std::string list_of(Words words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string help_line(std::string_view name, std::string_view value, std::string_view help) {
  constexpr std::size_t kWidth = 20;
  std::string text = "  --" + std::string(name);
  if (!value.empty()) text += "=" + std::string(value);
  text += std::string(kWidth - std::min(kWidth - 2, text.size()), ' ');
  return text + std::string(help) + "\n";
}

std::optional<ParsedFlag> split_flag(std::string_view argument) {
  if (argument.size() < 2 || argument.front() != '-') return std::nullopt;
  argument.remove_prefix(argument[1] == '-' ? 2 : 1);
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return ParsedFlag{argument, std::nullopt};
  return ParsedFlag{argument.substr(0, equals), argument.substr(equals + 1)};
}

Error unknown_flag(std::string_view argument, std::string_view name, Words known) {
  const std::string_view near = nearest(name, known);
  return Error{"unknown flag", std::string(argument), near.empty() ? "--help for a list" : "--" + std::string(near)};
}

namespace detail {

std::optional<std::string> assign(std::uint32_t& field, std::optional<std::string_view> value, Words,
                                  std::uint32_t least) {
  const std::string_view text = value.value_or("");
  const char* const end = text.data() + text.size();
  std::uint32_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc{} || stop != end || number < least)
    return "a number from " + std::to_string(least) + " to " +
           std::to_string(std::numeric_limits<std::uint32_t>::max());
  field = number;
  return std::nullopt;
}

std::optional<std::string> assign(std::string& field, std::optional<std::string_view> value, Words words,
                                  std::uint32_t) {
  if (!value) return words.empty() ? "a value" : list_of(words);
  if (!words.empty() && std::ranges::find(words, *value) == words.end()) return list_of(words);
  field = *value;
  return std::nullopt;
}

}  // namespace detail
}  // namespace weavefuzz::command
