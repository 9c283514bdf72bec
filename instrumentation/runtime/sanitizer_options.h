// What an engine wants of the sanitizers. Absent in a program without one, which then runs as ever.
#pragma once

namespace weavefuzz::runtime {

// name=value:name=value
extern __attribute__((weak)) const char tsan_options[];
extern __attribute__((weak)) const char asan_options[];
extern __attribute__((weak)) const char ubsan_options[];

}  // namespace weavefuzz::runtime
