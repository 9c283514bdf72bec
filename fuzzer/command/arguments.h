// Flags of the command's own: --name or --name=value, one table per subcommand.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuzzer/model/nearest.h"
#include "fuzzer/model/result.h"

namespace weavefuzz::command {

using Words = std::span<const std::string_view>;

// One row per flag. The parser and the help read this table.
template <class Options>
struct FlagRow {
  using Field = std::variant<bool Options::*, std::uint32_t Options::*, std::string Options::*>;

  std::string_view name;  // without the dashes
  Field field;
  std::string_view value;  // how the help calls it; empty for a flag that takes none
  std::string_view help;
  Words words = {};         // for text: what it takes; none for any
  std::uint32_t least = 0;  // for numbers
};

// "a, b or c"
std::string list_of(Words words);

// "  --name=VALUE  help"
std::string help_line(std::string_view name, std::string_view value, std::string_view help);

struct ParsedFlag {
  std::string_view name;
  std::optional<std::string_view> value;
};

// Of --name, --name=value, or the same with one dash; nothing for other arguments.
std::optional<ParsedFlag> split_flag(std::string_view argument);

Error unknown_flag(std::string_view argument, std::string_view name, Words known);

namespace detail {

inline std::optional<std::string> assign(bool& field, std::optional<std::string_view> value, Words, std::uint32_t) {
  if (value) return "no value";
  field = true;
  return std::nullopt;
}

std::optional<std::string> assign(std::uint32_t& field, std::optional<std::string_view> value, Words words,
                                  std::uint32_t least);
std::optional<std::string> assign(std::string& field, std::optional<std::string_view> value, Words words,
                                  std::uint32_t least);

}  // namespace detail

// Puts the flags among `arguments` into `options` and the rest, in order, into `positional`.
template <class Options>
std::optional<Error> parse(std::span<const FlagRow<Options>> flags, std::span<const std::string_view> arguments,
                           Options& options, std::vector<std::string_view>& positional) {
  for (const std::string_view argument : arguments) {
    const std::optional<ParsedFlag> parsed = split_flag(argument);
    if (!parsed) {
      positional.push_back(argument);
      continue;
    }
    const FlagRow<Options>* found = nullptr;
    std::vector<std::string_view> names;
    for (const auto& flag : flags) {
      names.push_back(flag.name);
      if (flag.name == parsed->name && argument.starts_with("--")) found = &flag;
    }
    if (found == nullptr) return unknown_flag(argument, parsed->name, names);
    const auto takes = std::visit(
        [&](auto field) { return detail::assign(options.*field, parsed->value, found->words, found->least); },
        found->field);
    if (takes)
      return Error{"--" + std::string(found->name) + " takes " + *takes, std::string(argument), "--help for a list"};
  }
  return std::nullopt;
}

template <class Options>
std::string help_of(std::span<const FlagRow<Options>> flags) {
  std::string text;
  for (const auto& flag : flags) text += help_line(flag.name, flag.value, flag.help);
  return text;
}

}  // namespace weavefuzz::command
