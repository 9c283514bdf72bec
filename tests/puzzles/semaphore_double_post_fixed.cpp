// EXPECT: pass
// Twin of semaphore_double_post.cpp. Check and mark are one atomic step.

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
    if (returned.exchange(true)) return;
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
