// EXPECT: pass
// Twin of dying_local.cpp. The thread announces itself when it needs the session no more.

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
    const int number = session.number;
    assert(registry.session_alive);
    assert(number == 7);
    registry.announce();
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
