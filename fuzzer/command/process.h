// Child processes and the folder that they work in.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fuzzer/model/result.h"

namespace weavefuzz::command {

// Of this program, without symbolic links.
std::filesystem::path own_directory();

// A new folder, removed with all that is in it at the end of its life.
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> make();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

struct Ended {
  int exit_code = 0;  // 128 + its number for a signal
  double seconds = 0;
  double cpu_seconds = 0;
  double peak_memory_mb = 0;
  std::string output;  // standard output and error
};

// Runs `arguments` to its end, in `directory`, with `settings` (NAME=value) added to the environment.
// An error if it cannot be started, or if this process was interrupted meanwhile; the child is then
// ended, too.
Result<Ended> run_process(std::vector<std::string> arguments, std::vector<std::string> settings,
                          const std::filesystem::path& directory);

// From now on an interrupt (Ctrl-C) makes run_process return an error, so that everything is
// cleaned up.
void catch_interrupts();

}  // namespace weavefuzz::command
