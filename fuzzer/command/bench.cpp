// weavefuzz bench: what control costs, in figures.
#include "fuzzer/command/bench.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "fuzzer/command/arguments.h"
#include "fuzzer/command/subcommand.h"

namespace weavefuzz::command {
namespace {

constexpr std::array<std::string_view, 4> kSanitizers{"plain", "thread", "address", "all"};

constexpr Budget ratio_at_least(double limit) { return {Budget::Of::kRatio, Budget::Bound::kAtLeast, limit}; }
constexpr Budget value_below(double limit) { return {Budget::Of::kValue, Budget::Bound::kBelow, limit}; }

// One row per benchmark.
constexpr std::array kBenchmarks{
    Benchmark{"runs_per_second.plain", "two threads, ten accesses each; baseline: uncontrolled", "plain", "runs/s",
              ratio_at_least(30), measure_throughput},
    Benchmark{"runs_per_second.thread", "the same with -fsanitize=thread", "thread", "runs/s", ratio_at_least(20),
              measure_throughput},
    Benchmark{"runs_per_second.address", "the same with -fsanitize=address", "address", "runs/s", ratio_at_least(40),
              measure_throughput},
    Benchmark{"switch_ns", "one switch, decision included; baseline: -threads=os", "plain", "ns", value_below(60),
              measure_switch},
    Benchmark{"hook_ns", "one hook that does not switch; baseline: the access itself", "plain", "ns", value_below(8),
              measure_hook},
    Benchmark{"memory_growth_mb", "growth after run 100,000; baseline: what it was then", "plain", "MB", value_below(1),
              measure_memory},
};

constexpr std::array kFlags{
    FlagRow<BenchOptions>{"json", &BenchOptions::json, "", "Print a JSON array, not a table."},
    FlagRow<BenchOptions>{
        "repeat", &BenchOptions::repeat, "N", "Measure each N times, 5 if not given; the median counts.", {}, 1},
    FlagRow<BenchOptions>{
        "runs", &BenchOptions::runs, "N", "Runs per measurement; if not given, as many as take a second.", {}, 100},
    FlagRow<BenchOptions>{"sanitizer", &BenchOptions::sanitizer, "NAME",
                          "Only what is built with plain, thread or address.", kSanitizers},
    FlagRow<BenchOptions>{"long", &BenchOptions::long_runs, "",
                          "memory_growth_mb over 10,000,000 runs, not 1,000,000."},
};

// "runs_per_second" also stands for all that begin with "runs_per_second."
bool matches(std::string_view name, std::string_view wanted) {
  return name == wanted || (name.starts_with(wanted) && name[wanted.size()] == '.');
}

Result<std::vector<Benchmark>> select(const BenchOptions& options, std::span<const std::string_view> wanted) {
  for (const std::string_view name : wanted) {
    if (std::ranges::any_of(kBenchmarks, [&](const auto& row) { return matches(row.name, name); })) continue;
    std::vector<std::string_view> names;
    for (const Benchmark& row : kBenchmarks) names.push_back(row.name);
    const std::string_view near = nearest(name, names);
    return Error{"no such benchmark", std::string(name),
                 near.empty() ? "weavefuzz bench --help for a list" : std::string(near)};
  }
  std::vector<Benchmark> selected;
  for (const Benchmark& row : kBenchmarks) {
    const bool named =
        wanted.empty() || std::ranges::any_of(wanted, [&](std::string_view name) { return matches(row.name, name); });
    if (named && (options.sanitizer == "all" || options.sanitizer == row.sanitizer)) selected.push_back(row);
  }
  if (selected.empty())
    return Error{"none of these is built with " + options.sanitizer, "weavefuzz bench", "--sanitizer=all"};
  return selected;
}

Measurement summary(const Benchmark& benchmark, const Figures& figures) {
  Measurement result{.name = std::string(benchmark.name),
                     .unit = std::string(benchmark.unit),
                     .value = spread(figures.values),
                     .baseline = std::nullopt,
                     .ratio = std::nullopt,
                     .budget = benchmark.budget};
  const std::vector<double> ratios = pairwise_ratios(figures.values, figures.baselines);
  if (!figures.baselines.empty()) result.baseline = median(figures.baselines);
  if (!ratios.empty()) result.ratio = median(ratios);
  return result;
}

}  // namespace

std::string bench_help() {
  std::string text =
      "weavefuzz bench [flags] [NAME ...]\n\n"
      "Builds small harnesses, with weavefuzz-clang++ and with the clang++ of the same LLVM, runs\n"
      "them in turn and compares. Takes a few minutes; on a busy machine the ratios say more than\n"
      "the values. ratio = value / baseline. Exit code 0 if everything could be measured.\n\n";
  text += help_of<BenchOptions>(kFlags) + "\nNames, all if none is given:\n";
  for (const Benchmark& row : kBenchmarks) {
    constexpr std::size_t kWidth = 25;
    text +=
        "  " + std::string(row.name) + std::string(kWidth - row.name.size(), ' ') + std::string(row.question) + "\n";
  }
  return text +
         "\nExamples:\n"
         "  weavefuzz bench\n"
         "  weavefuzz bench --json runs_per_second > figures.json\n"
         "  weavefuzz bench --repeat=9 switch_ns hook_ns\n"
         "  weavefuzz bench --long memory_growth_mb\n";
}

Result<int> bench(Arguments arguments) {
  BenchOptions options;
  std::vector<std::string_view> names;
  if (auto error = parse<BenchOptions>(kFlags, arguments, options, names)) return *std::move(error);
  const Result<std::vector<Benchmark>> selected = select(options, names);
  if (!selected) return selected.error();
  catch_interrupts();
  Result<Workshop> workshop = Workshop::open(options);
  if (!workshop) return workshop.error();

  std::vector<Measurement> measurements;
  for (const Benchmark& benchmark : selected.value()) {
    const Result<Figures> figures = benchmark.measure(workshop.value(), benchmark);
    if (!figures) return figures.error();
    measurements.push_back(summary(benchmark, figures.value()));
  }
  std::fputs((options.json ? to_json(measurements) : to_table(measurements)).c_str(), stdout);
  return kSuccess;
}

}  // namespace weavefuzz::command
