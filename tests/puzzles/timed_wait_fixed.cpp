// EXPECT: pass
// Twin of timed_wait.cpp. The receiver goes without a value when the wait has timed out.

#undef NDEBUG
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Channel {
  void send(int message) {
    const std::lock_guard lock(mutex);
    value = message;
    sent.notify_one();
  }

  void receive() {
    std::unique_lock lock(mutex);
    const bool received = sent.wait_for(lock, std::chrono::hours(1), [&] { return value != 0; });
    if (!received) return;
    assert(value == 42);
  }

  std::mutex mutex;
  std::condition_variable sent;
  int value = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Channel channel;
  std::thread receiver([&] { channel.receive(); });
  std::thread sender([&] { channel.send(42); });
  receiver.join();
  sender.join();
  return 0;
}
