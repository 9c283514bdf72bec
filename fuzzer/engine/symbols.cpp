#include "fuzzer/engine/symbols.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <unordered_map>

extern "C" {
__attribute__((weak)) void __sanitizer_symbolize_pc(void* pc, const char* format, char* out, std::size_t size);
__attribute__((weak)) void __sanitizer_symbolize_global(void* data, const char* format, char* out, std::size_t size);
}

namespace weavefuzz::engine {

namespace {

// One line a frame: function, file and line, parted by a character that no name has.
constexpr const char* kFormat = "%f\x01%s\x01%l\x01%m";
constexpr std::size_t kLongest = 16 * 1024;

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

bool is_system_file(const std::string& file) {
  return file.empty() || starts_with(file, "/usr/") || file.find("/include/c++/") != std::string::npos;
}

// Between the place where something went wrong and the place where it was noticed.
bool is_messenger(const std::string& function) {
  for (const char* name : {"abort", "raise", "__assert_fail", "std::terminate", "__cxa_throw", "__cxa_rethrow"})
    if (function == name) return true;
  return false;
}

// "operator()(int) const" is "operator()", "f(int)::{lambda()#1}::operator()() const" ends at its last list.
std::string without_arguments(std::string name) {
  const std::size_t close = name.rfind(')');
  if (close == std::string::npos || name.find("::", close) != std::string::npos) return name;
  std::size_t depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      name.resize(i);
      break;
    }
  }
  return name;
}

Frame parse(const char* line) {
  Frame frame;
  const char* file = std::strchr(line, '\x01');
  if (file == nullptr) return frame;
  frame.function = without_arguments(std::string(line, file));
  const char* number = std::strchr(file + 1, '\x01');
  if (number == nullptr) return frame;
  frame.file.assign(file + 1, number);
  if (frame.file == "<null>" || frame.file == "??") frame.file.clear();
  char* module = nullptr;
  frame.line = static_cast<std::uint32_t>(std::strtoul(number + 1, &module, 10));
  frame.is_system =
      is_system_file(frame.file) || starts_with(module + 1, "/usr/lib") || starts_with(module + 1, "/lib");
  return frame;
}

}  // namespace

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string Frame::place() const {
  if (file.empty()) return function.empty() ? "?" : function;
  return base_name(file) + ":" + std::to_string(line);
}

const std::vector<Frame>& frames_at(const void* return_address) {
  static std::unordered_map<const void*, std::vector<Frame>> known;
  const auto [entry, is_new] = known.try_emplace(return_address);
  if (is_new && &__sanitizer_symbolize_pc != nullptr) {
    static char text[kLongest];
    text[0] = text[1] = '\0';
    // A return address may already belong to the next line.
    __sanitizer_symbolize_pc(const_cast<char*>(static_cast<const char*>(return_address)) - 1, kFormat, text,
                             sizeof text - 1);
    for (const char* line = text; *line != '\0'; line += std::strlen(line) + 1) entry->second.push_back(parse(line));
  }
  return entry->second;
}

std::vector<Frame> frames_of(const runtime::Stack& stack) {
  std::vector<Frame> frames;
  for (const void* address : stack) {
    if (address == nullptr) break;
    for (const Frame& frame : frames_at(address)) {
      if (starts_with(frame.function, "weavefuzz::") || starts_with(frame.function, "weavefuzz_") ||
          starts_with(frame.function, "__wrap_LLVMFuzzer") || starts_with(frame.function, "fuzzer::"))
        continue;
      frames.push_back(frame);
    }
  }
  std::size_t messengers = 0;
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (is_messenger(frames[i].function)) messengers = i + 1;
  if (messengers < frames.size())
    frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(messengers));
  // Below the program's own first frame there is only how the library starts a thread, or the engine.
  std::size_t own_end = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (!frames[i].is_system) own_end = i + 1;
    if (frames[i].function == "LLVMFuzzerTestOneInput") break;
  }
  if (own_end > 0) frames.resize(own_end);
  return frames;
}

const Frame* first_own_frame(const std::vector<Frame>& frames) {
  for (const Frame& frame : frames)
    if (!frame.is_system) return &frame;
  return nullptr;
}

std::string global_name(std::uintptr_t address) {
  // Asked about a stack or the heap, the symbolizer would complain.
  dl_find_object found{};
  if (&__sanitizer_symbolize_global == nullptr || _dl_find_object(reinterpret_cast<void*>(address), &found) != 0)
    return {};
  char text[512] = {};
  __sanitizer_symbolize_global(reinterpret_cast<void*>(address), "%g", text, sizeof text);
  return std::strpbrk(text, "<?") != nullptr ? std::string{} : std::string{text};
}

}  // namespace weavefuzz::engine
