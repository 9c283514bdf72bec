// An interleaving as a table: time downwards, one column per thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzzer/model/ids.h"

namespace weavefuzz {

struct TableRow {
  std::size_t number = 0;  // of the event, from 1
  ThreadId thread;
  std::string what;   // "write hits"
  std::string place;  // "a.cpp:6", may be empty
};

// Rows beyond the last `most` are left out from the front, and that is said. A row whose thread differs
// from the one before starts a new stretch, marked in the margin.
std::string render_table(const std::vector<TableRow>& rows, std::size_t most);

}  // namespace weavefuzz
