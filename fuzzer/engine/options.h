// Flags of a fuzz target, beside those of libFuzzer.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuzzer/model/result.h"

namespace weavefuzz {

struct Options {  // defaults live here and nowhere else
  std::string policy = "mix";
  std::string threads = "carrier";
  std::uint32_t max_steps = 1'000'000;
  std::uint32_t max_threads = 256;
  bool spurious_wakeups = true;
  bool print_trace = true;
  std::uint32_t trace_events = 200;
  bool verify_findings = true;
  std::uint32_t repeat = 1;
  std::uint32_t report_fd = 0;  // 0: none
  bool report_trace = false;
  bool pretend_no_carrier = false;
  bool weavefuzz_help = false;
  friend bool operator==(const Options&, const Options&) = default;
};

// One row per flag. The parser, the help and the documentation read this table.
struct Flag {
  using Field = std::variant<bool Options::*, std::uint32_t Options::*, std::string Options::*>;

  std::string_view name;
  Field field;
  std::string_view help;
  // For text: the words it takes, or null for any.
  std::vector<std::string_view> (*words)() = nullptr;
  std::uint32_t least = 0;  // for numbers
  bool hidden = false;      // not for users: left out of the help
};
std::span<const Flag> all_flags();

// Reads `environment` (the value of WEAVEFUZZ_OPTIONS, name=value:name=value, or null), then the
// -name=value flags in argv, which win. Takes ours out of argv and leaves everything else to
// libFuzzer, in order: its own flags, what begins with "--", a lone "-", positional arguments, and
// all that follows -ignore_remaining_args=1. A flag that neither of us knows is an error; argv is
// then as before.
Result<Options> take_flags(int& argc, char** argv, const char* environment);

// What WEAVEFUZZ_OPTIONS must be for a child process to have these options: libFuzzer starts its
// children (-jobs, -fork, -merge, -minimize_crash) with what take_flags() left in argv.
std::string to_environment(const Options& options);

// What -weavefuzz_help=1 prints.
std::string help_text();

}  // namespace weavefuzz
