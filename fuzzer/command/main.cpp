// The weavefuzz command.
#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "fuzzer/command/subcommand.h"
#include "fuzzer/model/nearest.h"

namespace weavefuzz::command {
namespace {

constexpr std::array kSubcommands{
    Subcommand{"replay", "Run a harness on one artifact and print the interleaving.", replay_help, replay},
    Subcommand{"bench", "Measure what control costs on this machine.", bench_help, bench},
};

// Names that are taken, and what serves until then.
struct Planned {
  std::string_view name;
  std::string_view instead;
};
constexpr std::array kPlanned{
    Planned{"run", "./harness corpus/, for a fuzz target"},
    Planned{"minimize", "./harness -minimize_crash=1 crash-..."},
    Planned{"explain", "weavefuzz replay ./harness crash-..."},
    Planned{"show", "weavefuzz replay ./harness crash-..."},
    Planned{"explore", "./harness -policy=random corpus/"},
    Planned{"coverage", "weavefuzz --help for what there is"},
    Planned{"select", "weavefuzz --help for what there is"},
};

std::string overview() {
  std::string text =
      "Fuzzes how the threads of a C++ program interleave, and what they are asked to do.\n\n"
      "  weavefuzz SUBCOMMAND [arguments]\n\n";
  for (const Subcommand& subcommand : kSubcommands) {
    constexpr std::size_t kWidth = 10;
    const std::size_t padding = kWidth - std::min(kWidth - 2, subcommand.name.size());
    text += "  " + std::string(subcommand.name) + std::string(padding, ' ') + std::string(subcommand.summary) + "\n";
  }
  return text +
         "\n  weavefuzz SUBCOMMAND --help   more about one, with examples\n"
         "  weavefuzz --version\n"
         "\nTo make something to fuzz and to fuzz it:\n"
         "  weavefuzz-clang++ -g -O1 -fsanitize=fuzzer harness.cpp -o harness\n"
         "  ./harness corpus/\n";
}

Error unknown_subcommand(std::string_view name) {
  const std::string where = "weavefuzz " + std::string(name);
  const auto planned = std::ranges::find(kPlanned, name, &Planned::name);
  if (planned != kPlanned.end())
    return Error{"this version (" WEAVEFUZZ_VERSION ") does not have it", where, std::string(planned->instead)};
  std::vector<std::string_view> names;
  for (const Subcommand& subcommand : kSubcommands) names.push_back(subcommand.name);
  const std::string_view near = nearest(name, names);
  return Error{name.starts_with('-') ? "unknown flag" : "unknown subcommand", where,
               near.empty() ? "weavefuzz --help" : "weavefuzz " + std::string(near)};
}

Result<int> dispatch(Arguments arguments) {
  if (arguments.empty()) return Error{"no subcommand", "weavefuzz", "weavefuzz --help"};
  const std::string_view name = arguments[0];
  if (name == "--help" || name == "-h" || name == "help") {
    std::fputs(overview().c_str(), stdout);
    return kSuccess;
  }
  if (name == "--version") {
    std::puts("weavefuzz " WEAVEFUZZ_VERSION ", for LLVM " WEAVEFUZZ_LLVM_VERSION);
    return kSuccess;
  }
  const auto subcommand = std::ranges::find(kSubcommands, name, &Subcommand::name);
  if (subcommand == kSubcommands.end()) return unknown_subcommand(name);
  const Arguments rest = arguments.subspan(1);
  if (std::ranges::find(rest, "--help") != rest.end()) {
    std::fputs(subcommand->help().c_str(), stdout);
    return kSuccess;
  }
  return subcommand->run(rest);
}

}  // namespace
}  // namespace weavefuzz::command

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + std::min(argc, 1), argv + argc);
  const weavefuzz::Result<int> result = weavefuzz::command::dispatch(arguments);
  if (result) return result.value();
  std::fprintf(stderr, "%s\n", to_string(result.error()).c_str());
  return weavefuzz::command::kUsageError;
}
