// EXPECT: pass
// PRIMITIVES: errno, fesetround, pthread_self
// errno, the rounding mode and pthread_self belong to a thread, wherever switches fall.
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

std::atomic<int> steps{0};
volatile double one = 1.0;
volatile double three = 3.0;

void work(int number, int rounding, double& third) {
  assert(errno == 0);
  const pthread_t me = pthread_self();
  errno = number;
  assert(std::fesetround(rounding) == 0);
  for (int i = 0; i < 3; ++i) {
    ++steps;
    assert(errno == number);
    assert(std::fegetround() == rounding);
    assert(pthread_equal(me, pthread_self()));
  }
  third = one / three;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  errno = 33;
  double up = 0;
  double down = 0;
  std::thread first(work, 11, FE_UPWARD, std::ref(up));
  std::thread second(work, 22, FE_DOWNWARD, std::ref(down));
  for (int i = 0; i < 3; ++i) {
    ++steps;
    assert(errno == 33);
    assert(std::fegetround() == FE_TONEAREST);
  }
  first.join();
  second.join();
  assert(down < up);
  assert(std::fegetround() == FE_TONEAREST);
  return 0;
}
