// EXPECT: pass
// PRIMITIVES: pthread_exit
// pthread_exit runs destructors on its way out and hands its value to join.
#include <pthread.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace {

struct Shared {
  std::mutex mutex;
  int destroyed = 0;
};

struct Guard {
  Shared& shared;
  ~Guard() {
    const std::lock_guard lock(shared.mutex);
    ++shared.destroyed;
  }
};

[[gnu::noinline]] void leave(Shared& shared) {
  const Guard inner{shared};
  pthread_exit(&shared);
}

void* work(void* argument) {
  Shared& shared = *static_cast<Shared*>(argument);
  const Guard outer{shared};
  leave(shared);
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Shared shared;
  pthread_t threads[2];
  for (pthread_t& thread : threads) assert(pthread_create(&thread, nullptr, work, &shared) == 0);
  for (const pthread_t thread : threads) {
    void* result = nullptr;
    assert(pthread_join(thread, &result) == 0);
    assert(result == &shared);
  }
  assert(shared.destroyed == 4);
  return 0;
}
