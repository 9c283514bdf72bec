// EXPECT: assertion|data-race|memory-error builds=plain,tsan,asan
// A thread uses a local variable of the function that started it, by reference. The function waits
// until the thread has started, which is too early: it returns, and its session dies. Shows when
// the thread is interrupted between announcing itself and using the session. The registry outlives
// both and knows whether the session is alive.
// Least preemptions: 1.
// Twin: dying_local_fixed.cpp.

#undef NDEBUG
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Registry {
  void announce() {
    const std::lock_guard lock(mutex);
    announced = true;
    changed.notify_one();
  }

  void wait_for_announcement() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return announced; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool announced = false;
  std::atomic<bool> session_alive{false};
};

struct Session {
  explicit Session(Registry& owner) : registry(owner) { registry.session_alive = true; }
  ~Session() { registry.session_alive = false; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Registry& registry;
  int number = 7;
};

std::thread start_worker(Registry& registry) {
  Session session(registry);
  std::thread worker([&] {
    registry.announce();
    const int number = session.number;
    assert(registry.session_alive);
    assert(number == 7);
  });
  registry.wait_for_announcement();
  return worker;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Registry registry;
  std::thread worker = start_worker(registry);
  worker.join();
  return 0;
}
