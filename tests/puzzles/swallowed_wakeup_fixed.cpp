// EXPECT: pass
// Twin of swallowed_wakeup.cpp: the counter is reset first, so that whatever comes later wakes the loop again.

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Loop {
  ~Loop() { close(wake); }

  void post() {
    {
      const std::lock_guard lock(mutex);
      ++posted;
    }
    eventfd_write(wake, 1);
  }

  void work() {
    const std::lock_guard lock(mutex);
    done += posted;
    posted = 0;
  }

  void reset() {
    eventfd_t count;
    eventfd_read(wake, &count);
  }

  void run(int jobs) {
    while (done < jobs) {
      pollfd state{wake, POLLIN, 0};
      poll(&state, 1, -1);
      reset();
      work();
    }
  }

  int wake = eventfd(0, 0);
  std::mutex mutex;
  int posted = 0;
  int done = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Loop loop;
  std::thread poster([&] {
    loop.post();
    loop.post();
  });
  std::thread runner([&] { loop.run(2); });
  poster.join();
  runner.join();
  return 0;
}
