// EXPECT: pass
// Twin of barrier_early_leaver.cpp. Both look before either can say so: a second barrier lies in between.

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

struct Team {
  Team() { pthread_barrier_init(&barrier, nullptr, 2); }
  ~Team() { pthread_barrier_destroy(&barrier); }

  void work(bool decides) {
    for (;;) {
      pthread_barrier_wait(&barrier);
      const bool leaves = done;
      pthread_barrier_wait(&barrier);
      if (leaves) return;
      if (decides) done = true;
    }
  }

  pthread_barrier_t barrier;
  std::atomic<bool> done{false};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Team team;
  std::thread first([&] { team.work(true); });
  std::thread second([&] { team.work(false); });
  first.join();
  second.join();
  return 0;
}
