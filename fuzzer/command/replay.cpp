// weavefuzz replay: checks what it was given, then becomes the harness.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/command/subcommand.h"
#include "fuzzer/engine/options.h"

namespace weavefuzz::command {
namespace {

constexpr const char* kUsage = "weavefuzz replay ./harness crash-...";

// Names that the linker leaves in the dynamic symbols, also of a stripped binary.
constexpr std::string_view kRuntimeSymbol = "__weavefuzz_register";
constexpr std::string_view kFuzzTargetSymbol = "__wrap_LLVMFuzzerTestOneInput";

std::optional<Error> check_harness(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return Error{"no such file", path, kUsage};
  if (!std::filesystem::is_regular_file(status)) return Error{"is not a program", path, kUsage};
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!bytes.starts_with("\177ELF"))
    return Error{"is not a compiled program", path, std::string(kUsage) + ", the harness before the artifact"};
  if (access(path.c_str(), X_OK) != 0) return Error{"is not executable", path, "chmod +x " + path};
  if (bytes.find(kRuntimeSymbol) == std::string::npos)
    return Error{"was built without Weavefuzz: its threads would run as they please", path,
                 "weavefuzz-clang++ -g -O1 -fsanitize=fuzzer in place of clang++"};
  if (bytes.find(kFuzzTargetSymbol) == std::string::npos)
    return Error{"is a whole program; this version replays fuzz targets only", path,
                 "linking a LLVMFuzzerTestOneInput with -fsanitize=fuzzer"};
  return std::nullopt;
}

std::optional<Error> check_artifact(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return Error{"no such file", path, "the path after \"Test unit written to\""};
  if (std::filesystem::is_directory(status)) return Error{"is a folder; replay runs one artifact", path, kUsage};
  if (access(path.c_str(), R_OK) != 0)
    return Error{std::string("cannot be read: ") + std::strerror(errno), path, "chmod +r " + path};
  return std::nullopt;
}

// Says now what the harness would say: an unknown flag, or a value that it does not take.
std::optional<Error> check_flags(std::vector<std::string> flags) {
  std::vector<char*> argv{const_cast<char*>("harness")};  // take_flags only moves pointers
  for (std::string& flag : flags) argv.push_back(flag.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(argv.size()) - 1;
  const Result<Options> taken = take_flags(argc, argv.data(), nullptr);
  if (taken) return std::nullopt;
  return taken.error();
}

}  // namespace

std::string replay_help() {
  return "weavefuzz replay [-name=value ...] ./harness crash-...\n\n"
         "Runs the harness on that one artifact: the same bytes give the same interleaving, which\n"
         "is printed as a table with one column per thread, and the same report. Flags of the form\n"
         "-name=value go to the harness: its own (./harness -weavefuzz_help=1) and libFuzzer's\n"
         "(./harness -help=1).\n\n"
         "Exit code: that of the run (0 nothing found, 77 finding), 1 if it could not be run.\n\n"
         "Examples:\n"
         "  weavefuzz replay ./bank crash-0123456789abcdef\n"
         "  weavefuzz replay -trace_events=1000 ./bank crash-0123456789abcdef   a long table\n"
         "  weavefuzz replay -threads=os ./bank crash-0123456789abcdef          for a debugger\n";
}

Result<int> replay(Arguments arguments) {
  std::vector<std::string> flags;
  std::vector<std::string> paths;
  for (const std::string_view argument : arguments) {
    if (argument.starts_with("--")) return Error{"unknown flag", std::string(argument), "weavefuzz replay --help"};
    const bool is_flag = argument.size() > 1 && argument.front() == '-';
    (is_flag ? flags : paths).emplace_back(argument);
  }
  if (paths.size() < 2)
    return Error{paths.empty() ? "needs a harness and an artifact" : "needs an artifact, too", "weavefuzz replay",
                 kUsage};
  if (paths.size() > 2) return Error{"one artifact at a time", paths[2], kUsage};
  if (auto error = check_harness(paths[0])) return *std::move(error);
  if (auto error = check_artifact(paths[1])) return *std::move(error);
  if (auto error = check_flags(flags)) return *std::move(error);

  // libFuzzer starts itself again by this name.
  std::string harness = paths[0].find('/') == std::string::npos ? "./" + paths[0] : paths[0];
  std::vector<char*> argv{harness.data()};
  for (std::string& flag : flags) argv.push_back(flag.data());
  argv.push_back(paths[1].data());
  argv.push_back(nullptr);
  execv(harness.c_str(), argv.data());
  return Error{std::string("cannot be run: ") + std::strerror(errno), paths[0], kUsage};
}

}  // namespace weavefuzz::command
