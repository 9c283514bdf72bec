// Default options of the sanitizers: ours where there is an engine, then the program's own, which win. The wrapper
// renames a program's function of that kind, so that there can be two.
#include "instrumentation/runtime/sanitizer_options.h"

#include <cstddef>
#include <initializer_list>

namespace weavefuzz::runtime {

namespace {

constexpr std::size_t kLongest = 4096;

// Called before the process can do much: no library functions.
const char* joined(char* out, const char* ours, const char* (*users)()) {
  std::size_t length = 0;
  for (const char* text : {ours == nullptr ? "" : ours, ":", users == nullptr ? "" : users()})
    while (*text != '\0' && length + 1 < kLongest) out[length++] = *text++;
  out[length] = '\0';
  return out;
}

}  // namespace

#define WEAVEFUZZ_OPTIONS_OF(sanitizer)                                                \
  extern "C" __attribute__((weak)) const char* weavefuzz_user_##sanitizer##_options(); \
  extern "C" const char* __##sanitizer##_default_options() {                           \
    static char text[kLongest];                                                        \
    return joined(text, sanitizer##_options, weavefuzz_user_##sanitizer##_options);    \
  }
WEAVEFUZZ_OPTIONS_OF(tsan)
WEAVEFUZZ_OPTIONS_OF(asan)
WEAVEFUZZ_OPTIONS_OF(ubsan)
#undef WEAVEFUZZ_OPTIONS_OF

}  // namespace weavefuzz::runtime
