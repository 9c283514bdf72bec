// Linked into fuzz targets with TSan. What is not the program under test is none of TSan's business:
//  - libFuzzer clears 8 KiB of its own before every run, and TSan would check each byte of that for races:
//    half the time of a short run;
//  - the unwinder, when a replay takes the stack of an event, would write to TSan's log, and a replay must
//    not see other races than the run that it repeats.
// Instrumented code does not come this way: it calls __tsan_memset and __tsan_memcpy. Weak, so that a program's own
// functions win.
#include <cstddef>

extern "C" {

void* __interceptor_memset(void* to, int value, std::size_t size);
void* __interceptor_memcpy(void* to, const void* from, std::size_t size);
std::size_t __interceptor_strlen(const char* text);
int weavefuzz_is_scheduled();  // the calling thread

__attribute__((weak)) void* memset(void* to, int value, std::size_t size) {
  if (weavefuzz_is_scheduled() != 0) return __interceptor_memset(to, value, size);
#if defined(__x86_64__)
  void* out = to;
  asm volatile("rep stosb" : "+D"(out), "+c"(size) : "a"(value) : "memory");
#else
  for (auto* out = static_cast<volatile char*>(to); size > 0; --size) *out++ = static_cast<char>(value);
#endif
  return to;
}

__attribute__((weak)) void* memcpy(void* to, const void* from, std::size_t size) {
  if (weavefuzz_is_scheduled() != 0) return __interceptor_memcpy(to, from, size);
#if defined(__x86_64__)
  void* out = to;
  asm volatile("rep movsb" : "+D"(out), "+S"(from), "+c"(size) : : "memory");
#else
  auto* out = static_cast<volatile char*>(to);
  for (const char* in = static_cast<const char*>(from); size > 0; --size) *out++ = *in++;
#endif
  return to;
}

__attribute__((weak)) std::size_t strlen(const char* text) {
  if (weavefuzz_is_scheduled() != 0) return __interceptor_strlen(text);
  const char* end = text;
  while (*end != '\0') ++end;
  return static_cast<std::size_t>(end - text);
}
}
