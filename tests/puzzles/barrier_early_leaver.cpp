// EXPECT: deadlock builds=plain,tsan,asan
// Two workers meet at a barrier each round, until one of them says that it is done. It says so at once, so that the
// other may see it in this round and leave: nobody is left to meet.
// Shows when the second to come is slow to leave the barrier.
// Least preemptions: 1.
// Twin: barrier_early_leaver_fixed.cpp.

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
      if (done) return;
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
