// Between libFuzzer and the harness: takes the schedule off the input and runs the rest under it.
//
// The link line has --wrap for the four functions below, so that libFuzzer calls ours, and ours the
// harness's.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuzzer/engine/findings.h"
#include "fuzzer/engine/options.h"
#include "fuzzer/engine/report.h"
#include "fuzzer/engine/rerun.h"
#include "fuzzer/model/input.h"
#include "fuzzer/mutate/mutate.h"
#include "fuzzer/policy/policy.h"
#include "instrumentation/runtime/runtime.h"
#include "instrumentation/runtime/sanitizers.h"

extern "C" {
int __real_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
__attribute__((weak)) int __real_LLVMFuzzerInitialize(int* argc, char*** argv);
__attribute__((weak)) std::size_t __real_LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                                 std::size_t max_size, unsigned seed);
__attribute__((weak)) std::size_t __real_LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                                   const std::uint8_t* second, std::size_t second_size,
                                                                   std::uint8_t* out, std::size_t max_size,
                                                                   unsigned seed);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
__attribute__((weak)) void libfuzzer_sha1(const std::uint8_t* data, std::size_t size,
                                          std::uint8_t* out) asm("_ZN6fuzzer11ComputeSHA1EPKhmPh");
}

namespace weavefuzz::engine {

namespace {

Options options;
bool replay = false;
bool print_final_stats = false;
int error_exit_code = 77;
std::vector<std::string> arguments_for_rerun;
std::vector<PolicyId> allowed_policies;
Schedule schedule;  // of the run that is on; its memory is reused

// Flags that make sense only for the process that got them.
bool belongs_to_this_process(const char* argument) {
  for (const char* name :
       {"-runs=", "-jobs=", "-workers=", "-fork=", "-merge", "-minimize_crash",
        "-cleanse_crash=", "-max_total_time=", "-artifact_prefix=", "-exact_artifact_path=", "-print_", "-seed=",
        "-dict=", "-reload=", "-features_dir=", "-stop_file=", "-seed_inputs=", "-set_cover_merge", "-close_fd_mask="})
    if (std::strncmp(argument, name, std::strlen(name)) == 0) return true;
  return false;
}

long flag_value(int argc, char** argv, const char* name, long otherwise) {
  const std::size_t length = std::strlen(name);
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') otherwise = std::atol(argv[i] + length + 1);
  return otherwise;
}

bool is_file(const char* path) {
  struct stat status{};
  return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

Result<Bytes> read_file(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return Error{"cannot be read: " + std::string(std::strerror(errno)), path, {}};
  Bytes bytes;
  std::uint8_t buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
    bytes.insert(bytes.end(), buffer, buffer + got);
  std::fclose(file);
  return bytes;
}

std::string sha1(const Bytes& bytes) {
  std::uint8_t digest[20];
  libfuzzer_sha1(bytes.data(), bytes.size(), digest);
  std::string text;
  char two[3];
  for (const std::uint8_t byte : digest) {
    std::snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}

// An artifact's name says what its content must be. A schedule that was cut off would otherwise be run
// as payload, and pass.
void check_artifact(const char* path) {
  const Result<Bytes> bytes = read_file(path);
  if (!bytes) stop_with_error(to_string(bytes.error()));
  const std::string name = std::string(path).substr(std::string(path).find_last_of('/') + 1);
  const std::size_t dash = name.find('-');
  const bool is_artifact = name.size() == dash + 41 && (name.starts_with("crash-") || name.starts_with("timeout-") ||
                                                        name.starts_with("oom-") || name.starts_with("leak-"));
  if (is_artifact && &libfuzzer_sha1 != nullptr && name.substr(dash + 1) != sha1(bytes.value()))
    stop_with_error(to_string(Error{"damaged: its content is not what its name says (truncated or edited?)", path,
                                    "the original file, or another name if you changed it on purpose"}));
  const Result<Input> input = decode_strict(bytes.value());
  if (!input) stop_with_error(to_string(Error{input.error().what, path, input.error().hint}));
}

// What kind of process is this? libFuzzer runs files one by one when it is given nothing but files.
void examine_arguments(int argc, char** argv) {
  bool only_files = false;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') {
      if (!belongs_to_this_process(argv[i])) arguments_for_rerun.emplace_back(argv[i]);
      continue;
    }
    if (access(argv[i], F_OK) != 0)
      stop_with_error(to_string(
          Error{std::strerror(errno), argv[i], "the path of an artifact, or of a corpus folder that exists"}));
    only_files = is_file(argv[i]);
    if (!only_files) break;
  }
  const bool is_search = flag_value(argc, argv, "-minimize_crash", 0) != 0 ||
                         flag_value(argc, argv, "-merge", 0) != 0 ||
                         flag_value(argc, argv, "-minimize_crash_internal_step", 0) != 0 ||
                         flag_value(argc, argv, "-cleanse_crash", 0) != 0;
  replay = only_files && !is_search;
  // A step of a minimization is confirmed by the one that uses its result.
  if (flag_value(argc, argv, "-minimize_crash_internal_step", 0) != 0) options.verify_findings = false;
  print_final_stats = flag_value(argc, argv, "-print_final_stats", 0) != 0;
  error_exit_code = static_cast<int>(flag_value(argc, argv, "-error_exitcode", 77));
  if (!replay) return;
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] != '-') check_artifact(argv[i]);
}

void say_what_runs(runtime::Backend backend) {
  const runtime::Instrumentation found = runtime::instrumentation();
  std::uint64_t skipped = 0;
  for (const std::uint64_t count : found.skipped) skipped += count;
  print("INFO: Weavefuzz: " + std::to_string(found.instrumented) + " accesses instrumented, " +
        std::to_string(skipped) + " skipped; threads: " + (backend == runtime::Backend::kCarrier ? "carrier" : "os") +
        "; policy: " + options.policy + "\n");
  if (found.instrumented == 0)
    print(
        "WARNING: Weavefuzz: nothing is instrumented: threads switch only at pthread calls\n"
        "  try: compile the code under test with weavefuzz-clang++, too\n");
  if (const std::uint32_t outsiders = runtime::outsiders(); outsiders > 0)
    print("WARNING: Weavefuzz: threads that the program started before the runs are not under control: " +
          std::to_string(outsiders) + "; what they do does not repeat\n" +
          "  try: starting them in LLVMFuzzerTestOneInput, and ending them there\n");
}

void start() {
  runtime::Settings settings;
  const bool wants_carrier = options.threads == "carrier";
  const char* reason = options.pretend_no_carrier ? "-pretend_no_carrier=1 was given" : runtime::carrier_unavailable();
  if (wants_carrier && reason != nullptr)
    print(std::string("INFO: Weavefuzz: threads=carrier is not possible here: ") + reason +
          "\n  using threads=os: the same interleavings, but slower\n");
  settings.backend = wants_carrier && reason == nullptr ? runtime::Backend::kCarrier : runtime::Backend::kOs;
  settings.max_steps = options.max_steps;
  settings.max_threads = options.max_threads;
  settings.spurious_wakeups = options.spurious_wakeups;
  settings.record_stacks = replay;
  runtime::initialise(settings, on_finding, on_refusal);
  watch_for_findings({options, replay, print_final_stats, error_exit_code, arguments_for_rerun});
  say_what_runs(settings.backend);
}

struct Call {
  const std::uint8_t* data;
  std::size_t size;
  int result;
};

void call_harness(void* context) {
  Call& call = *static_cast<Call*>(context);
  call.result = __real_LLVMFuzzerTestOneInput(call.data, call.size);
}

void ensure_started() {
  static bool started = false;
  if (started) return;
  started = true;
  start();
}

int run_input(ByteView bytes) {
  ensure_started();
  // libFuzzer begins with an input of no bytes. Fuzzing loses nothing without it, since a payload of no
  // bytes also comes with a schedule, and no artifact is ever an empty file.
  if (bytes.empty() && !replay) return 0;
  set_current_input(bytes);
  const ByteView payload = decode(bytes, schedule);
  Call call{payload.data(), payload.size(), 0};
  // ASan must see where the payload ends, although our own bytes follow.
  static const bool needs_copy = runtime::has_asan();
  std::uint8_t* copy = nullptr;
  if (needs_copy && payload.size() != bytes.size()) {
    copy = static_cast<std::uint8_t*>(std::malloc(payload.size()));
    std::memcpy(copy, payload.data(), payload.size());
    call.data = copy;
  }
  runtime::run(policy_for(schedule), schedule, call_harness, &call);
  std::free(copy);
  count_schedule();
  if (replay) print_replay();
  return call.result;
}

// An input that passes is run again and again in this process; one that does not, in as many forks of it.
int repeat_input(ByteView bytes) {
  ensure_started();
  const auto run_once = [](int descriptor, void* context) {
    runtime::after_fork();
    send_outcome_to(descriptor);
    run_input(*static_cast<ByteView*>(context));
  };
  std::map<std::pair<Verdict, std::uint64_t>, std::uint32_t> outcomes;
  for (std::uint32_t i = 0; i < options.repeat; ++i) {
    const std::optional<Report> report = run_in_fork(run_once, &bytes);
    if (!report) stop_with_error("-repeat: a fork of this process came to no end of its own");
    ++outcomes[{report->verdict, report->trace_hash}];
    if (report->verdict != Verdict::kPass) continue;
    replay = false;  // no table for each
    run_input(bytes);
    replay = true;
    ++outcomes[{Verdict::kPass, hash(current_trace())}];
  }
  print("REPEAT: " + std::to_string(options.repeat) + " runs, " + std::to_string(outcomes.size()) +
        " distinct traces\n");
  for (const auto& [outcome, count] : outcomes) {
    char line[160];
    std::snprintf(line, sizeof line, "  %016llx %s: %u times\n", static_cast<unsigned long long>(outcome.second),
                  std::string(to_text(outcome.first)).c_str(), count);
    print(line);
  }
  if (outcomes.begin()->first.first != Verdict::kPass || outcomes.size() > 1) exit_now(error_exit_code);
  return 0;
}

unsigned mutation_seed = 0;  // of the mutation that is being made; a custom mutator of the harness gets it, too

std::size_t mutate_payload(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  if (&__real_LLVMFuzzerCustomMutator != nullptr)
    return __real_LLVMFuzzerCustomMutator(data, size, max_size, mutation_seed);
  return LLVMFuzzerMutate(data, size, max_size);
}

// Places of the last run at which a switch could be forced: a few of them, spread over the run.
std::span<const Anchor> recent_places() {
  constexpr std::size_t kMost = 64;
  static std::vector<Anchor> places;
  static std::unordered_map<std::uint64_t, std::uint32_t> occurrences;
  places.clear();
  occurrences.clear();
  const auto events = runtime::events();
  const std::size_t stride = events.size() / kMost + 1;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const runtime::RawEvent& event = events[i];
    // A thread never arrives at its start: it is put there.
    if (traits(event.kind).event_class == EventClass::kNote || event.kind == EventKind::kStart) continue;
    const SiteKey site = event.site != nullptr ? SiteKey{event.site->key} : key_of_kind(event.kind);
    const std::uint32_t occurrence = ++occurrences[std::uint64_t{event.thread} << 32 | site.value];
    if (i % stride == 0) places.push_back({ThreadId{event.thread}, site, occurrence});
  }
  return places;
}

void choose_policies() {
  for (const PolicyRow& row : all_policies())
    if (options.policy == "mix" ? row.id != PolicyId::kFollow : options.policy == row.name)
      allowed_policies.push_back(row.id);
}

}  // namespace

extern "C" int __wrap_LLVMFuzzerInitialize(int* argc, char*** argv) {
  arguments_for_rerun.emplace_back((*argv)[0]);
  Result<Options> taken = take_flags(*argc, *argv, std::getenv("WEAVEFUZZ_OPTIONS"));
  if (!taken) stop_with_error(to_string(taken.error()));
  options = taken.value();
  if (options.weavefuzz_help) {
    std::fputs(help_text().c_str(), stdout);
    std::exit(0);
  }
  setenv("WEAVEFUZZ_OPTIONS", to_environment(options).c_str(), 1);  // libFuzzer's children get it from here
  choose_policies();
  examine_arguments(*argc, *argv);
  const int result = &__real_LLVMFuzzerInitialize != nullptr ? __real_LLVMFuzzerInitialize(argc, argv) : 0;
  runtime::expect_threads_of_fuzzer();
  note_signal_handlers();  // the harness may have set some of its own; libFuzzer sets its own later
  return result;
}

extern "C" int __wrap_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return replay && options.repeat > 1 ? repeat_input({data, size}) : run_input({data, size});
}

extern "C" std::size_t __wrap_LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                                      unsigned seed) {
  mutation_seed = seed;
  MutationContext context;
  context.policies = allowed_policies;
  context.threads = runtime::stats().threads;
  context.mutate_payload = mutate_payload;
  // Looking the last run over costs as much as a short run, so only some mutations get to.
  if (seed % 16 == 0) context.recent = recent_places();
  return mutate(data, size, max_size, seed, context);
}

// libFuzzer tries something else if nothing is made, as where the harness has no such function.
extern "C" std::size_t __wrap_LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                        const std::uint8_t* second, std::size_t second_size,
                                                        std::uint8_t* out, std::size_t max_size, unsigned seed) {
  if (&__real_LLVMFuzzerCustomCrossOver == nullptr) return 0;
  return cross_over({first, first_size}, {second, second_size}, out, max_size, seed, __real_LLVMFuzzerCustomCrossOver);
}

}  // namespace weavefuzz::engine
