// EXPECT: data-race builds=tsan
// PRIMITIVES: eventfd
// Both threads use counters, but not the same one.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  const int first = eventfd(0, 0);
  const int second = eventfd(1, 0);
  int value = 0;
  std::thread writer([&] {
    value = 1;
    eventfd_write(first, 1);
  });
  eventfd_t got;
  eventfd_read(second, &got);
  value = 2;
  writer.join();
  close(first);
  close(second);
  return 0;
}
