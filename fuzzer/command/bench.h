// Where benchmarks are built and run, and what they are made of.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzzer/command/measurement.h"
#include "fuzzer/command/process.h"
#include "fuzzer/model/result.h"

namespace weavefuzz::command {

struct BenchOptions {  // defaults live here and nowhere else
  bool json = false;
  bool long_runs = false;
  std::uint32_t runs = 0;  // 0: as many as take about a second
  std::uint32_t repeat = 5;
  std::string sanitizer = "all";
};

enum class Compiler : std::uint8_t { kOurs, kStock };

// One way to run a harness.
struct Subject {
  std::string path;
  std::vector<std::string> flags = {};
  // Where nobody waits for anybody, CPU time says the same and does not count what else the machine does.
  double Ended::* clock = &Ended::seconds;
};

class Workshop {
 public:
  // Finds the compilers and the sources, or says what is missing.
  static Result<Workshop> open(const BenchOptions& options);

  const BenchOptions& options() const { return options_; }
  void say(const std::string& progress) const;

  // The path of the program, built at the first call. `source` is in the folder of benchmarks;
  // `sanitizer` is plain, or one that the compilers know.
  Result<std::string> build(Compiler compiler, std::string_view source, std::string_view sanitizer);
  // The subject does `runs` runs, from the same seed each time. An error unless it ends well.
  Result<Ended> run(const Subject& subject, std::uint64_t runs, const std::vector<std::string>& settings = {}) const;

 private:
  Workshop(BenchOptions options, std::filesystem::path sources, TemporaryDirectory directory)
      : options_(std::move(options)), sources_(std::move(sources)), directory_(std::move(directory)) {}

  BenchOptions options_;
  std::filesystem::path sources_;
  TemporaryDirectory directory_;
  std::map<std::string, std::string> built_;
};

// As measured, in the same order: values[i] and baselines[i] one after the other.
struct Figures {
  std::vector<double> values;
  std::vector<double> baselines;
};

struct Benchmark {
  std::string_view name;
  std::string_view question;
  std::string_view sanitizer;
  std::string_view unit;
  Budget budget;
  Result<Figures> (*measure)(Workshop& workshop, const Benchmark& benchmark);
};

// Runs per second of two threads, under control and (the baseline) as they please.
Result<Figures> measure_throughput(Workshop& workshop, const Benchmark& benchmark);
// Nanoseconds for one switch on the carrier and (the baseline) on OS threads.
Result<Figures> measure_switch(Workshop& workshop, const Benchmark& benchmark);
// Nanoseconds that a hook adds to one access and (the baseline) of that access alone.
Result<Figures> measure_hook(Workshop& workshop, const Benchmark& benchmark);
// Megabytes that a long campaign takes more than (the baseline) a short one.
Result<Figures> measure_memory(Workshop& workshop, const Benchmark& benchmark);

}  // namespace weavefuzz::command
