#include "fuzzer/engine/rerun.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "instrumentation/runtime/system.h"

extern char** environ;

namespace weavefuzz::engine {

namespace {

// First line: verdict, hash and statistics; second: where; third: dedup token; the rest is the text.
std::string serialise(const Report& report) {
  char numbers[128];
  std::snprintf(numbers, sizeof numbers, "%u %llx %u %u %u\n", static_cast<unsigned>(report.verdict),
                static_cast<unsigned long long>(report.trace_hash), report.stats.events, report.stats.switches,
                report.stats.preemptions);
  return numbers + report.where + "\n" + report.dedup_token + "\n" + report.text;
}

std::optional<Report> parse(const std::string& text) {
  Report report;
  unsigned verdict = 0;
  unsigned long long trace_hash = 0;
  if (std::sscanf(text.c_str(), "%u %llx %u %u %u", &verdict, &trace_hash, &report.stats.events, &report.stats.switches,
                  &report.stats.preemptions) != 5 ||
      verdict >= kVerdictText.size())
    return std::nullopt;
  report.verdict = static_cast<Verdict>(verdict);
  report.trace_hash = trace_hash;
  const std::size_t where = text.find('\n');
  const std::size_t token = where == std::string::npos ? where : text.find('\n', where + 1);
  const std::size_t rest = token == std::string::npos ? token : text.find('\n', token + 1);
  if (rest == std::string::npos) return std::nullopt;
  report.where = text.substr(where + 1, token - where - 1);
  report.dedup_token = text.substr(token + 1, rest - token - 1);
  report.text = text.substr(rest + 1);
  return report;
}

int memory_file(const char* name, ByteView content) {
  const int file = memfd_create(name, 0);
  if (file < 0) return -1;
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t written = write(file, content.data() + done, content.size() - done);
    if (written <= 0) return -1;
    done += static_cast<std::size_t>(written);
  }
  return file;
}

std::string read_all(int file) {
  std::string text;
  char buffer[4096];
  lseek(file, 0, SEEK_SET);
  for (ssize_t got = 0; (got = pread(file, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

// Raw: fork handlers of libc and sanitizers may wait for locks that a failing thread holds.
std::optional<std::string> fork_and_collect(int report_file, void (*body)(int, void*), void* context) {
  const int nowhere = open("/dev/null", O_RDWR);
  const long child = runtime::fork_raw();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      runtime::system_call(SYS_dup3, nowhere, stream, 0);
    body(report_file, context);
    runtime::system_call(SYS_exit_group, 127);
  }
  close(nowhere);
  wait_for(child);
  return read_all(report_file);
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

// What a new process that runs `input` has to say.
std::optional<std::string> execute_again(ByteView input, const std::vector<std::string>& arguments,
                                         const Options& options) {
  const int input_file = memory_file("weavefuzz-input", input);
  const int report_file = memory_file("weavefuzz-report", {});
  if (input_file < 0 || report_file < 0) return std::nullopt;

  std::vector<std::string> argument_strings = arguments;
  argument_strings.push_back("/proc/self/fd/" + std::to_string(input_file));
  Options child_options = options;
  child_options.report_fd = static_cast<std::uint32_t>(report_file);
  std::vector<std::string> environment_strings{"WEAVEFUZZ_OPTIONS=" + to_environment(child_options)};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, "WEAVEFUZZ_OPTIONS=", 18) != 0) environment_strings.emplace_back(*variable);
  const std::vector<char*> child_arguments = pointers(argument_strings);
  const std::vector<char*> child_environment = pointers(environment_strings);
  struct Command {
    char* const* arguments;
    char* const* environment;
  } command{child_arguments.data(), child_environment.data()};
  const auto execute = [](int, void* context) {
    const Command& child = *static_cast<Command*>(context);
    std::uint64_t no_signals = 0;
    runtime::system_call(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, reinterpret_cast<long>(&no_signals), 0,
                         sizeof no_signals);
    runtime::system_call(SYS_execve, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(child.arguments),
                         reinterpret_cast<long>(child.environment));
  };
  return fork_and_collect(report_file, execute, &command);
}

}  // namespace

std::optional<Report> rerun(ByteView input, const std::vector<std::string>& arguments, const Options& options) {
  const std::optional<std::string> text = execute_again(input, arguments, options);
  return text ? parse(*text) : std::nullopt;
}

std::optional<Trace> rerun_for_trace(ByteView input, const std::vector<std::string>& arguments,
                                     const Options& options) {
  Options trace_options = options;
  trace_options.report_trace = true;
  const std::optional<std::string> bytes = execute_again(input, arguments, trace_options);
  if (!bytes) return std::nullopt;
  Trace trace(bytes->size() / sizeof(TraceEvent));
  std::memcpy(trace.data(), bytes->data(), trace.size() * sizeof(TraceEvent));
  return trace;
}

std::optional<Report> run_in_fork(void (*body)(int descriptor, void* context), void* context) {
  const int report_file = memory_file("weavefuzz-report", {});
  if (report_file < 0) return std::nullopt;
  const std::optional<std::string> text = fork_and_collect(report_file, body, context);
  close(report_file);
  return text ? parse(*text) : std::nullopt;
}

void wait_for(long child) {
  int status = 0;
  while (runtime::system_call(SYS_wait4, child, reinterpret_cast<long>(&status), 0, 0) == -EINTR) {
  }
}

void send_report(int descriptor, const Report& report) {
  const std::string text = serialise(report);
  [[maybe_unused]] const ssize_t written = pwrite(descriptor, text.data(), text.size(), 0);
}

// Both ends are the same binary: the events travel as they lie in memory.
void send_trace(int descriptor, const Trace& trace) {
  static_assert(std::is_trivially_copyable_v<TraceEvent>);
  [[maybe_unused]] const ssize_t written = pwrite(descriptor, trace.data(), trace.size() * sizeof(TraceEvent), 0);
}

}  // namespace weavefuzz::engine
