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

// A row whose thread differs from the one before is marked in the margin. `earlier` says how many rows
// before these were left out.
std::string render_table(const std::vector<TableRow>& rows, std::size_t earlier);

}  // namespace weavefuzz
