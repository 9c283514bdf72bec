// The compiler may turn a copy into a call of memcpy. In a sanitized program that is the sanitizer's,
// which checks the access for races; the runtime's own memory must not be checked. These definitions are
// private to the runtime's object file. Compiled with -fno-builtin, or they would call themselves.
#include <cstddef>

extern "C" {

void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  for (; size >= 8; size -= 8, in += 8, out += 8) {
    struct __attribute__((packed, may_alias)) Word {
      unsigned long value;
    };
    reinterpret_cast<Word*>(out)->value = reinterpret_cast<const Word*>(in)->value;
  }
  while (size-- > 0) *out++ = *in++;
  return to;
}

void* memmove(void* to, const void* from, std::size_t size) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  if (out < in)
    for (std::size_t i = 0; i < size; ++i) out[i] = in[i];
  else
    while (size-- > 0) out[size] = in[size];
  return to;
}

void* memset(void* to, int value, std::size_t size) {
  auto* out = static_cast<char*>(to);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>(value);
  return to;
}

int memcmp(const void* first, const void* second, std::size_t size) {
  const auto* a = static_cast<const unsigned char*>(first);
  const auto* b = static_cast<const unsigned char*>(second);
  for (std::size_t i = 0; i < size; ++i)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

int bcmp(const void* first, const void* second, std::size_t size) { return memcmp(first, second, size); }

std::size_t strlen(const char* text) {
  std::size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}
}
