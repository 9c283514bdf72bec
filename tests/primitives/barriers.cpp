// EXPECT: pass
// PRIMITIVES: pthread_barrier_init, pthread_barrier_destroy, pthread_barrier_wait
// Nobody leaves before all have come, round after round; one thread of each round is told apart; whoever that is may
// destroy the barrier at once.
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

constexpr int kThreads = 3;
constexpr int kRounds = 3;

struct Shared {
  pthread_barrier_t barrier;
  int made[kThreads] = {};
  int serial[kThreads] = {};
};

void work(Shared& shared, int me) {
  for (int round = 1; round <= kRounds; ++round) {
    shared.made[me] = round;
    const int result = pthread_barrier_wait(&shared.barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    shared.serial[me] += result == PTHREAD_BARRIER_SERIAL_THREAD ? 1 : 0;
    for (const int made : shared.made) assert(made == round);
    pthread_barrier_wait(&shared.barrier);
  }
  if (pthread_barrier_wait(&shared.barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
    assert(pthread_barrier_destroy(&shared.barrier) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Shared shared;
  assert(pthread_barrier_init(&shared.barrier, nullptr, 0) == EINVAL);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  assert(pthread_barrier_init(&shared.barrier, &attributes, kThreads) == 0);
  std::thread first(work, std::ref(shared), 1);
  std::thread second(work, std::ref(shared), 2);
  work(shared, 0);
  first.join();
  second.join();
  assert(shared.serial[0] + shared.serial[1] + shared.serial[2] == kRounds);

  assert(pthread_barrier_init(&shared.barrier, nullptr, 1) == 0);
  assert(pthread_barrier_wait(&shared.barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
  assert(pthread_barrier_wait(&shared.barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
  assert(pthread_barrier_destroy(&shared.barrier) == 0);
  return 0;
}
