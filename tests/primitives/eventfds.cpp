// EXPECT: pass
// PRIMITIVES: eventfd, eventfd_read, eventfd_write
// A counter that is 0 lets a reader wait, and a full one a writer; as a semaphore it gives one at a time.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  const int counter = eventfd(0, EFD_CLOEXEC);
  const int semaphore = eventfd(0, EFD_SEMAPHORE);
  const int full = eventfd(0, 0);
  const int polled = eventfd(0, EFD_NONBLOCK);
  assert(counter >= 0 && semaphore >= 0 && full >= 0);
  int handed_over = 0;
  std::thread first([&] {
    handed_over = 7;
    const std::uint64_t three = 3;
    assert(write(counter, &three, sizeof three) == sizeof three);
    assert(eventfd_write(semaphore, 1) == 0);
    eventfd_t value = 0;
    assert(eventfd_read(full, &value) == 0 && value >= 0xFFFFFFFFFFFFFFF0);
  });
  std::thread second([&] { assert(eventfd_write(semaphore, 1) == 0); });
  eventfd_t value = 0;
  assert(eventfd_read(counter, &value) == 0 && value == 3 && handed_over == 7);
  for (int i = 0; i < 2; ++i) assert(read(semaphore, &value, sizeof value) == sizeof value && value == 1);
  assert(eventfd_read(polled, &value) == -1 && errno == EAGAIN);
  assert(eventfd_write(full, 0xFFFFFFFFFFFFFFF0) == 0);
  assert(eventfd_write(full, 100) == 0);  // waits until it has been read
  first.join();
  second.join();
  assert(eventfd_read(full, &value) == 0 && value == 100);
  assert(read(counter, &value, 4) == -1 && errno == EINVAL);
  for (const int descriptor : {counter, semaphore, full, polled}) close(descriptor);
  return 0;
}
