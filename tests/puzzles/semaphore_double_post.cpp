// EXPECT: plain=assertion tsan=assertion|data-race asan=assertion builds=plain,tsan,asan
// A permit is given back by its user and, to be safe, by a supervisor, unless it has been given back already; check
// and mark are two steps, so that one permit becomes two.
// Shows when both find it not yet given back, and then two threads are inside.
// Least preemptions: 1.
// Twin: semaphore_double_post_fixed.cpp.

#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

struct Permit {
  sem_t semaphore;
  std::atomic<bool> returned{false};

  void give_back() {
    if (returned) return;
    returned = true;
    sem_post(&semaphore);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Permit permit;
  sem_init(&permit.semaphore, 0, 0);  // the user has it
  std::thread user([&] { permit.give_back(); });
  std::thread supervisor([&] { permit.give_back(); });
  user.join();
  supervisor.join();
  int permits = 0;
  sem_getvalue(&permit.semaphore, &permits);
  assert(permits == 1);
  sem_destroy(&permit.semaphore);
  return 0;
}
