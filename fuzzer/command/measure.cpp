// How each benchmark is measured. Start-up costs nothing here: every figure is the difference of two
// runs of the same program.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fuzzer/command/bench.h"

namespace weavefuzz::command {
namespace {

constexpr double kSecondsPerMeasurement = 1.2;
constexpr double kSecondsPerPilot = 0.1;
constexpr double kLeastSeconds = 0.01;
constexpr std::uint64_t kMostRuns = 100'000'000;
constexpr std::uint64_t kShortCampaign = 100'000;

// The time of `runs` runs is taken without the first tenth, when everything is still cold.
constexpr std::uint64_t lead_in(std::uint64_t runs) { return runs / 10; }

// How many runs take about as long as a measurement should.
Result<std::uint64_t> calibrate(const Workshop& workshop, const Subject& subject,
                                const std::vector<std::string>& settings = {}) {
  const Result<Ended> nothing = workshop.run(subject, 1, settings);
  if (!nothing) return nothing.error();
  for (std::uint64_t runs = 500;; runs *= 4) {
    const Result<Ended> pilot = workshop.run(subject, runs, settings);
    if (!pilot) return pilot.error();
    const double seconds = pilot.value().seconds - nothing.value().seconds;
    if (seconds < kSecondsPerPilot && runs < kMostRuns) continue;
    const double scale = kSecondsPerMeasurement / std::max(seconds, 1e-3);
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(scale * static_cast<double>(runs)), 100, kMostRuns);
  }
}

void say_progress(const Workshop& workshop, const Benchmark& benchmark, std::uint32_t round) {
  workshop.say(std::string(benchmark.name) + " " + std::to_string(round) + "/" +
               std::to_string(workshop.options().repeat) + " ...");
}

// Of `runs` runs, or of more where those are over too soon to be told from the noise of starting up.
Result<double> runs_per_second(const Workshop& workshop, const Benchmark& benchmark, const Subject& subject,
                               std::uint64_t runs) {
  for (; runs <= kMostRuns; runs *= 4) {
    const Result<Ended> some = workshop.run(subject, lead_in(runs));
    if (!some) return some.error();
    const Result<Ended> all = workshop.run(subject, runs);
    if (!all) return all.error();
    const double seconds = all.value().seconds - some.value().seconds;
    if (seconds >= kLeastSeconds) return static_cast<double>(runs - lead_in(runs)) / seconds;
  }
  return Error{"took no time that could be measured", std::string(benchmark.name),
               "a smaller --runs, or a machine that does less besides"};
}

// Harnesses that do one thing many times in each run take the number from the environment.
constexpr std::uint64_t kOperations = 4'000;
std::string operations(std::uint64_t count) { return "WEAVEFUZZ_BENCH_OPERATIONS=" + std::to_string(count); }
// One byte leaves no room for a schedule, so that all runs are alike.
const std::string kNoSchedule = "-max_len=1";

Result<double> nanoseconds_per_operation(const Workshop& workshop, const Subject& subject, std::uint64_t runs) {
  const Result<Ended> without = workshop.run(subject, runs, {operations(0)});
  if (!without) return without.error();
  const Result<Ended> with = workshop.run(subject, runs, {operations(kOperations)});
  if (!with) return with.error();
  return (with.value().*subject.clock - without.value().*subject.clock) * 1e9 / static_cast<double>(runs * kOperations);
}

// `subject` and `baseline` in turn.
Result<Figures> compare_operations(const Workshop& workshop, const Benchmark& benchmark, const Subject& subject,
                                   const Subject& baseline) {
  const Result<std::uint64_t> subject_runs = calibrate(workshop, subject, {operations(kOperations)});
  if (!subject_runs) return subject_runs.error();
  const Result<std::uint64_t> baseline_runs = calibrate(workshop, baseline, {operations(kOperations)});
  if (!baseline_runs) return baseline_runs.error();
  Figures figures;
  for (std::uint32_t round = 1; round <= workshop.options().repeat; ++round) {
    say_progress(workshop, benchmark, round);
    const Result<double> value = nanoseconds_per_operation(workshop, subject, subject_runs.value());
    if (!value) return value.error();
    const Result<double> base = nanoseconds_per_operation(workshop, baseline, baseline_runs.value());
    if (!base) return base.error();
    figures.values.push_back(value.value());
    figures.baselines.push_back(base.value());
  }
  return figures;
}

}  // namespace

Result<Figures> measure_throughput(Workshop& workshop, const Benchmark& benchmark) {
  const Result<std::string> ours = workshop.build(Compiler::kOurs, "two_threads.cpp", benchmark.sanitizer);
  if (!ours) return ours.error();
  const Result<std::string> stock = workshop.build(Compiler::kStock, "two_threads.cpp", benchmark.sanitizer);
  if (!stock) return stock.error();
  const Subject controlled{ours.value()};
  const Subject uncontrolled{stock.value()};

  // Uncontrolled runs are slower; with --runs, both take about as long.
  constexpr std::uint32_t kAboutAsSlow = 30;
  const std::uint32_t wanted = workshop.options().runs;
  const Result<std::uint64_t> runs = wanted > 0 ? Result<std::uint64_t>(wanted) : calibrate(workshop, controlled);
  if (!runs) return runs.error();
  const Result<std::uint64_t> stock_runs =
      wanted > 0 ? Result<std::uint64_t>(std::max(100U, wanted / kAboutAsSlow)) : calibrate(workshop, uncontrolled);
  if (!stock_runs) return stock_runs.error();

  Figures figures;
  for (std::uint32_t round = 1; round <= workshop.options().repeat; ++round) {
    say_progress(workshop, benchmark, round);
    const Result<double> value = runs_per_second(workshop, benchmark, controlled, runs.value());
    if (!value) return value.error();
    const Result<double> base = runs_per_second(workshop, benchmark, uncontrolled, stock_runs.value());
    if (!base) return base.error();
    figures.values.push_back(value.value());
    figures.baselines.push_back(base.value());
  }
  return figures;
}

Result<Figures> measure_switch(Workshop& workshop, const Benchmark& benchmark) {
  const Result<std::string> program = workshop.build(Compiler::kOurs, "switch_cost.cpp", benchmark.sanitizer);
  if (!program) return program.error();
  return compare_operations(workshop, benchmark, {program.value(), {kNoSchedule}, &Ended::cpu_seconds},
                            {program.value(), {kNoSchedule, "-threads=os"}});
}

Result<Figures> measure_hook(Workshop& workshop, const Benchmark& benchmark) {
  const Result<std::string> ours = workshop.build(Compiler::kOurs, "hook_cost.cpp", benchmark.sanitizer);
  if (!ours) return ours.error();
  const Result<std::string> stock = workshop.build(Compiler::kStock, "hook_cost.cpp", benchmark.sanitizer);
  if (!stock) return stock.error();
  Result<Figures> figures = compare_operations(workshop, benchmark, {ours.value(), {kNoSchedule}, &Ended::cpu_seconds},
                                               {stock.value(), {kNoSchedule}, &Ended::cpu_seconds});
  if (!figures) return figures;
  // The hook alone.
  for (std::size_t i = 0; i < figures.value().values.size(); ++i)
    figures.value().values[i] -= figures.value().baselines[i];
  return figures;
}

Result<Figures> measure_memory(Workshop& workshop, const Benchmark& benchmark) {
  const Result<std::string> program = workshop.build(Compiler::kOurs, "two_threads.cpp", benchmark.sanitizer);
  if (!program) return program.error();
  const Subject subject{program.value()};
  const std::uint64_t runs = workshop.options().long_runs ? 10'000'000 : 1'000'000;
  workshop.say(std::string(benchmark.name) + " over " + std::to_string(runs) + " runs ...");
  // Two processes, since runs from the same seed are the same: exact at both ends.
  const Result<Ended> before = workshop.run(subject, kShortCampaign);
  if (!before) return before.error();
  const Result<Ended> after = workshop.run(subject, runs);
  if (!after) return after.error();
  return Figures{{after.value().peak_memory_mb - before.value().peak_memory_mb}, {before.value().peak_memory_mb}};
}

}  // namespace weavefuzz::command
