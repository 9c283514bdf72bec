#include "fuzzer/command/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

extern char** environ;  // NOLINT

namespace weavefuzz::command {
namespace {

volatile sig_atomic_t interrupted = 0;

Error failed(const std::string& what, int error, const std::string& where) {
  return Error{what + ": " + std::strerror(error), where, {}};
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

std::filesystem::path own_directory() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

Result<TemporaryDirectory> TemporaryDirectory::make() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "weavefuzz-XXXXXX").string();
  if (error || mkdtemp(name.data()) == nullptr) {
    Error no_folder = failed("cannot make a temporary folder", error ? error.value() : errno, name);
    no_folder.hint = "TMPDIR=<a folder that can be written to>";
    return no_folder;
  }
  return TemporaryDirectory(name);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<Ended> run_process(std::vector<std::string> arguments, std::vector<std::string> settings,
                          const std::filesystem::path& directory) {
  const std::string log = (directory / "output").string();
  FileActions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions.get(), 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(actions.get(), 1, 2);
  posix_spawn_file_actions_addchdir_np(actions.get(), directory.c_str());

  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::vector<char*> environment;
  for (std::string& setting : settings) environment.push_back(setting.data());
  for (char** variable = environ; *variable != nullptr; ++variable) environment.push_back(*variable);
  environment.push_back(nullptr);

  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (const int error = posix_spawn(&child, argv[0], actions.get(), nullptr, argv.data(), environment.data()))
    return failed("cannot be started", error, arguments[0]);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0)
    if (errno == EINTR && interrupted != 0) kill(child, SIGKILL);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (interrupted != 0) return Error{"interrupted", {}, {}};

  std::ifstream file(log, std::ios::binary);
  return Ended{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
               .seconds = took.count(),
               .cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
               .peak_memory_mb = static_cast<double>(usage.ru_maxrss) / 1024,
               .output = std::string{std::istreambuf_iterator<char>(file), {}}};
}

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = 1; };  // without SA_RESTART: wait4 must return
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace weavefuzz::command
