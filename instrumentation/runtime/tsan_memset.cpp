// Linked into fuzz targets with TSan. libFuzzer clears 8 KiB of its own before every run, and TSan would
// check each byte of that for races: half the time of a short run. Instrumented code does not come this way,
// it calls __tsan_memset.
#include <cstddef>

extern "C" {

void* __interceptor_memset(void* to, int value, std::size_t size);
int weavefuzz_running();

void* memset(void* to, int value, std::size_t size) {
  if (weavefuzz_running() != 0) return __interceptor_memset(to, value, size);
#if defined(__x86_64__)
  void* out = to;
  asm volatile("rep stosb" : "+D"(out), "+c"(size) : "a"(value) : "memory");
#else
  for (auto* out = static_cast<volatile char*>(to); size > 0; --size) *out++ = static_cast<char>(value);
#endif
  return to;
}
}
