// EXPECT: data-race builds=tsan
// PRIMITIVES: read, write (of memory)
// Two threads read into one buffer.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  int first[2];
  int second[2];
  if (pipe(first) != 0 || pipe(second) != 0) return 0;
  (void)!write(first[1], "a", 1);
  (void)!write(second[1], "b", 1);
  char buffer = 0;
  std::thread reader([&] { (void)!read(first[0], &buffer, 1); });
  (void)!read(second[0], &buffer, 1);
  reader.join();
  for (const int end : {first[0], first[1], second[0], second[1]}) close(end);
  return 0;
}
