// From addresses to what a person calls them, by way of the sanitizers' symbolizer, which every fuzzing
// build brings along.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/runtime/runtime.h"

namespace weavefuzz::engine {

struct Frame {
  std::string function;
  std::string file;  // empty if unknown
  std::uint32_t line = 0;
  bool is_system = false;  // of a system header or a system library

  // "file:line", with the directories left out; the function's name where there is no line.
  std::string place() const;
};

// Frames of a return address, inlined ones included, innermost first. Remembers what it was asked.
const std::vector<Frame>& frames_at(const void* return_address);

// All frames of a stack, without those of the runtime and of what only passed the message on (abort).
std::vector<Frame> frames_of(const runtime::Stack& stack);

// The first frame that is the program's own: not a library's, not a system header's.
const Frame* first_own_frame(const std::vector<Frame>& frames);

// Name of the global variable at `address`; empty if there is none.
std::string global_name(std::uintptr_t address);

std::string base_name(const std::string& path);

}  // namespace weavefuzz::engine
