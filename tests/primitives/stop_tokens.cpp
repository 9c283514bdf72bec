// EXPECT: pass
// PRIMITIVES: std::jthread, std::stop_token, std::stop_source, std::stop_callback
// Threads that are asked to stop: by a token, a callback, or while they wait.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

namespace {

void polls_a_token() {
  int value = 0;
  {
    std::jthread worker([&](const std::stop_token& token) {
      while (!token.stop_requested()) std::this_thread::yield();
      value = 1;
    });
  }  // asks it to stop, and joins
  assert(value == 1);
}

void waits_with_a_token() {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  bool saw_stop = false;
  {
    std::jthread worker([&](const std::stop_token& token) {
      std::unique_lock lock(mutex);
      saw_stop = !changed.wait(lock, token, [&] { return ready; });
    });
    std::jthread helper([&] {
      {
        const std::lock_guard lock(mutex);
      }
      changed.notify_all();
    });
  }
  assert(saw_stop);
}

void calls_back() {
  std::stop_source source;
  int called = 0;
  std::atomic<bool> registered{false};
  std::thread asker([&] { source.request_stop(); });
  {
    const std::stop_callback callback(source.get_token(), [&] { ++called; });
    registered = true;
  }  // waits for a callback that runs
  const int seen = called;
  asker.join();
  assert(seen == called && seen <= 1);
  assert(!source.request_stop());
  const std::stop_callback at_once(source.get_token(), [&] { called = 7; });
  assert(called == 7);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switch (size > 0 ? data[0] % 3 : 0) {
    case 0: polls_a_token(); break;
    case 1: waits_with_a_token(); break;
    default: calls_back();
  }
  return 0;
}
