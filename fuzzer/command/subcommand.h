// What `weavefuzz NAME ...` can be. One row per subcommand in main.cpp.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "fuzzer/model/result.h"

namespace weavefuzz::command {

inline constexpr int kSuccess = 0;
inline constexpr int kUsageError = 1;

using Arguments = std::span<const std::string_view>;

struct Subcommand {
  std::string_view name;
  std::string_view summary;
  std::string (*help)();
  Result<int> (*run)(Arguments arguments);  // the exit code
};

std::string replay_help();
Result<int> replay(Arguments arguments);

std::string bench_help();
Result<int> bench(Arguments arguments);

}  // namespace weavefuzz::command
