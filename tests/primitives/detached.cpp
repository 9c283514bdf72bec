// EXPECT: pass
// PRIMITIVES: pthread_detach, pthread_attr_setdetachstate
// Detached threads, waited for through a condition variable; one ends after the harness has returned.
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

namespace {

struct Shared {
  std::mutex mutex;
  std::condition_variable changed;
  int done = 0;
};

void* work(void* argument) {
  const std::unique_ptr<std::shared_ptr<Shared>> shared(static_cast<std::shared_ptr<Shared>*>(argument));
  const std::lock_guard lock((*shared)->mutex);
  ++(*shared)->done;
  (*shared)->changed.notify_one();
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  const auto shared = std::make_shared<Shared>();
  std::thread([shared] {
    const std::lock_guard lock(shared->mutex);
    ++shared->done;
    shared->changed.notify_one();
  }).detach();

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  assert(pthread_create(&thread, &attributes, work, new std::shared_ptr(shared)) == 0);
  pthread_attr_destroy(&attributes);

  std::thread([shared] {}).detach();
  std::unique_lock lock(shared->mutex);
  shared->changed.wait(lock, [&] { return shared->done == 2; });
  return 0;
}
