// EXPECT: data-race builds=tsan
// PRIMITIVES: pipe, read, write
// The bytes order what was written before them, not what comes after.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  int value = 0;
  std::thread writer([&] {
    (void)!write(ends[1], "x", 1);
    value = 1;
  });
  char c;
  (void)!read(ends[0], &c, 1);
  value = 2;
  writer.join();
  close(ends[0]);
  close(ends[1]);
  return 0;
}
