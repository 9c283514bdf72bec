#include "fuzzer/engine/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>

#include "fuzzer/model/nearest.h"
#include "fuzzer/policy/policy.h"

namespace weavefuzz {
namespace {

std::vector<std::string_view> policy_words() {
  std::vector<std::string_view> words{"mix"};
  for (const PolicyRow& policy : all_policies()) words.emplace_back(policy.name);
  return words;
}

std::vector<std::string_view> thread_words() { return {"carrier", "os"}; }

constexpr std::array kFlags{
    Flag{"policy", &Options::policy, "Policy of new schedules; mix: any that needs only a seed.", policy_words},
    Flag{"threads", &Options::threads, "Run threads on one OS thread (carrier: fast) or on one each (os).",
         thread_words},
    Flag{"max_steps", &Options::max_steps, "Report a livelock after this many events of two or more threads.", nullptr,
         1},
    Flag{"max_threads", &Options::max_threads, "Most threads in one run.", nullptr, 1},
    Flag{"spurious_wakeups", &Options::spurious_wakeups, "Let condition variables and futexes wake for no reason."},
    Flag{"print_trace", &Options::print_trace, "Replay: print the interleaving even if nothing is found."},
    Flag{"trace_events", &Options::trace_events, "Longest interleaving to print, in events."},
    Flag{"verify_findings", &Options::verify_findings, "Run a finding again in a new process before reporting it."},
    Flag{"repeat", &Options::repeat, "Replay: run the input this many times and compare the traces.", nullptr, 1},
    Flag{"report_trace", &Options::report_trace, "A child process writes its trace instead.", nullptr, 0, true},
    Flag{"pretend_no_carrier", &Options::pretend_no_carrier, "Act as on a machine that cannot switch thread pointers.",
         nullptr, 0, true},
    Flag{"report_fd", &Options::report_fd, "Where a child process writes its report.", nullptr, 0, true},
    Flag{"weavefuzz_help", &Options::weavefuzz_help, "Print this help."},
};

constexpr std::array kLibFuzzerFlags{
#define WEAVEFUZZ_LIBFUZZER_FLAG(name) std::string_view(#name),
#include "fuzzer/engine/libfuzzer_flags.def"
#undef WEAVEFUZZ_LIBFUZZER_FLAG
};
static_assert(std::ranges::is_sorted(kLibFuzzerFlags));

constexpr std::string_view kEnvironment = "WEAVEFUZZ_OPTIONS";

const Flag* find_flag(std::string_view name) {
  const auto flag = std::ranges::find(kFlags, name, &Flag::name);
  return flag == kFlags.end() ? nullptr : &*flag;
}

// --- Suggestions ---

std::vector<std::string_view> names_of_ours() {
  std::vector<std::string_view> names;
  for (const Flag& flag : kFlags)
    if (!flag.hidden) names.push_back(flag.name);
  return names;
}

// --- Values ---

std::string list_of(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

// Each assign() returns what the flag takes, if that is not what it was given.
using Complaint = std::optional<std::string>;

Complaint assign(bool& field, std::string_view value, const Flag&) {
  if (value != "0" && value != "1") return "0 or 1";
  field = value == "1";
  return std::nullopt;
}

Complaint assign(std::uint32_t& field, std::string_view value, const Flag& flag) {
  std::uint32_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stopped, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stopped != end || number < flag.least)
    return "a number from " + std::to_string(flag.least) + " to " +
           std::to_string(std::numeric_limits<std::uint32_t>::max());
  field = number;
  return std::nullopt;
}

Complaint assign(std::string& field, std::string_view value, const Flag& flag) {
  if (flag.words != nullptr) {
    const std::vector<std::string_view> words = flag.words();
    if (std::ranges::find(words, value) == words.end()) return list_of(words);
  }
  field = value;
  return std::nullopt;
}

Complaint assign(Options& options, const Flag& flag, std::string_view value) {
  return std::visit([&](auto field) { return assign(options.*field, value, flag); }, flag.field);
}

std::string to_text(bool value) { return value ? "1" : "0"; }
std::string to_text(std::uint32_t value) { return std::to_string(value); }
std::string to_text(const std::string& value) { return value; }

std::string value_of(const Options& options, const Flag& flag) {
  return std::visit([&](auto field) { return to_text(options.*field); }, flag.field);
}

// --- Sources of flags ---

struct Setting {
  std::string_view name;
  std::optional<std::string_view> value;  // what follows '='
};

Setting split(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// `where` and `prefix` are how the user wrote the setting and writes one.
std::optional<Error> apply(Options& options, const Flag& flag, const Setting& setting, const std::string& where,
                           std::string_view prefix) {
  const std::string name = std::string(prefix) + std::string(flag.name);
  const std::string standard = name + "=" + value_of(Options{}, flag);
  if (!setting.value) return Error{"needs a value", where, standard};
  const Complaint takes = assign(options, flag, *setting.value);
  if (!takes) return std::nullopt;
  return Error{name + " takes " + *takes, where, standard + ", the default"};
}

std::optional<Error> read_environment(std::string_view text, Options& options) {
  while (!text.empty()) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view part = text.substr(0, colon);
    text.remove_prefix(std::min(colon + 1, text.size()));
    if (part.empty()) continue;
    const Setting setting = split(part);
    const std::string where = std::string(kEnvironment) + ": " + std::string(part);
    const Flag* const flag = find_flag(setting.name);
    if (flag == nullptr) {
      const std::string_view near = nearest(setting.name, names_of_ours());
      return Error{"unknown name", where, near.empty() ? "-weavefuzz_help=1 for a list" : std::string(near)};
    }
    if (auto error = apply(options, *flag, setting, where, "")) return error;
  }
  return std::nullopt;
}

Error unknown_flag(std::string_view argument, std::string_view name) {
  std::vector<std::string_view> names = names_of_ours();
  names.insert(names.end(), kLibFuzzerFlags.begin(), kLibFuzzerFlags.end());
  const std::string_view near = nearest(name, names);
  return Error{"unknown flag", std::string(argument),
               near.empty() ? "-weavefuzz_help=1 or -help=1 for a list" : "-" + std::string(near)};
}

}  // namespace

std::span<const Flag> all_flags() { return kFlags; }

Result<Options> take_flags(int& argc, char** argv, const char* environment) {
  Options options;
  if (environment != nullptr)
    if (auto error = read_environment(environment, options)) return *std::move(error);

  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  std::vector<char*> kept;
  bool ignore_rest = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view text = arguments[i];
    const bool is_flag = i > 0 && !ignore_rest && text.size() > 1 && text[0] == '-' && text[1] != '-';
    const Setting setting = is_flag ? split(text.substr(1)) : Setting{};
    if (const Flag* const flag = is_flag ? find_flag(setting.name) : nullptr) {
      if (auto error = apply(options, *flag, setting, std::string(text), "-")) return *std::move(error);
      continue;
    }
    if (is_flag && !std::ranges::binary_search(kLibFuzzerFlags, setting.name)) return unknown_flag(text, setting.name);
    ignore_rest |= is_flag && setting.name == "ignore_remaining_args" && setting.value == "1";
    kept.push_back(arguments[i]);
  }

  std::ranges::copy(kept, arguments.begin());
  // As main() gets it: a null pointer at the end.
  if (kept.size() < arguments.size()) arguments[kept.size()] = nullptr;
  argc = static_cast<int>(kept.size());
  return options;
}

std::string to_environment(const Options& options) {
  std::string text;
  for (const Flag& flag : kFlags) {
    const std::string value = value_of(options, flag);
    if (value == value_of(Options{}, flag)) continue;
    if (!text.empty()) text += ":";
    text += std::string(flag.name) + "=" + value;
  }
  return text;
}

std::string help_text() {
  struct Row {
    std::string name, value, help;
  };
  std::vector<Row> rows;
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const Flag& flag : kFlags) {
    if (flag.hidden) continue;
    rows.push_back({"-" + std::string(flag.name), value_of(Options{}, flag), std::string(flag.help)});
    name_width = std::max(name_width, rows.back().name.size());
    value_width = std::max(value_width, rows.back().value.size());
  }
  const auto padded = [](const std::string& text, std::size_t width) {
    return text + std::string(width + 2 - std::min(width, text.size()), ' ');
  };

  std::string text =
      "Weavefuzz flags, in the form -name=value, with their defaults. libFuzzer's work as well: "
      "see\n"
      "-help=1. The environment may hold the same: WEAVEFUZZ_OPTIONS=name=value:name=value\n\n";
  for (const Row& row : rows)
    text += "  " + padded(row.name, name_width) + padded(row.value, value_width) + row.help + "\n";
  text += "\nPolicies:\n";
  for (const PolicyRow& policy : all_policies()) text += "  " + padded(policy.name, name_width) + policy.help + "\n";
  text +=
      "\nExamples:\n"
      "  ./harness -policy=random -max_total_time=60 corpus/   fuzz for a minute\n"
      "  ./harness -trace_events=1000 crash-0123456789abcdef   replay, print a long interleaving\n";
  return text;
}

}  // namespace weavefuzz
