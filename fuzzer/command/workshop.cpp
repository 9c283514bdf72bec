#include <unistd.h>
#include <algorithm>
#include <cstdio>

#include "fuzzer/command/bench.h"

namespace weavefuzz::command {
namespace {

std::filesystem::path our_compiler() { return own_directory() / "weavefuzz-clang++"; }

// Installed beside the program, or where it was built from.
Result<std::filesystem::path> find_sources() {
  const auto installed = own_directory() / ".." / "share" / "weavefuzz" / "bench";
  for (const std::filesystem::path& folder : {installed, std::filesystem::path(WEAVEFUZZ_BENCH_SOURCES)})
    if (std::filesystem::exists(folder / "two_threads.cpp")) return folder;
  return Error{"the sources of the benchmarks are gone", installed.lexically_normal().string(),
               "installing Weavefuzz again"};
}

std::optional<Error> check_compiler(const std::filesystem::path& path, const char* hint) {
  if (access(path.c_str(), X_OK) == 0) return std::nullopt;
  return Error{"no such compiler", path.string(), hint};
}

std::string last_lines(const std::string& text, std::size_t count) {
  std::size_t begin = text.size();
  for (std::size_t i = 0; i <= count && begin != std::string::npos && begin > 0; ++i)
    begin = text.rfind('\n', begin - 1);
  return begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
}

std::optional<Error> complaint(const Ended& ended, const std::string& what) {
  if (ended.exit_code == 0) return std::nullopt;
  std::string last = last_lines(ended.output, 12);
  while (last.ends_with('\n')) last.pop_back();
  return Error{"ended with exit code " + std::to_string(ended.exit_code) + "\n" + last, what, {}};
}

}  // namespace

Result<Workshop> Workshop::open(const BenchOptions& options) {
  if (auto error = check_compiler(our_compiler(), "the weavefuzz that lies beside it")) return *std::move(error);
  if (auto error = check_compiler(WEAVEFUZZ_CLANGXX, "installing that LLVM, or building again"))
    return *std::move(error);
  Result<std::filesystem::path> sources = find_sources();
  if (!sources) return sources.error();
  Result<TemporaryDirectory> directory = TemporaryDirectory::make();
  if (!directory) return directory.error();
  return Workshop(options, std::move(sources.value()), std::move(directory.value()));
}

void Workshop::say(const std::string& progress) const { std::fprintf(stderr, "%s\n", progress.c_str()); }

Result<std::string> Workshop::build(Compiler compiler, std::string_view source, std::string_view sanitizer) {
  const bool ours = compiler == Compiler::kOurs;
  const std::string name = std::string(source.substr(0, source.find('.'))) + "." + std::string(sanitizer) +
                           (ours ? ".controlled" : ".stock");
  if (const auto found = built_.find(name); found != built_.end()) return found->second;

  say("building " + name + " ...");
  const std::string program = (directory_.path() / name).string();
  const std::string sanitizers = sanitizer == "plain" ? "fuzzer" : "fuzzer," + std::string(sanitizer);
  const Result<Ended> ended =
      run_process({ours ? our_compiler().string() : WEAVEFUZZ_CLANGXX, "-g", "-O1", "-std=c++20",
                   "-fsanitize=" + sanitizers, (sources_ / source).string(), "-o", program},
                  {}, directory_.path());
  if (!ended) return ended.error();
  if (auto error = complaint(ended.value(), "building " + name)) return *std::move(error);
  return built_.emplace(name, program).first->second;
}

Result<Ended> Workshop::run(const Subject& subject, std::uint64_t runs,
                            const std::vector<std::string>& settings) const {
  std::vector<std::string> arguments{subject.path, "-runs=" + std::to_string(runs), "-seed=1"};
  arguments.insert(arguments.end(), subject.flags.begin(), subject.flags.end());
  Result<Ended> ended = run_process(arguments, settings, directory_.path());
  if (!ended) return ended;
  if (auto error = complaint(ended.value(), std::filesystem::path(subject.path).filename().string()))
    return *std::move(error);
  return ended;
}

}  // namespace weavefuzz::command
