// EXPECT: assertion builds=plain,tsan,asan
// A timed wait whose result is ignored, with a timeout so long that it never fires on a real clock.
// Shows when wait_for times out before the producer has sent the value.
// Least preemptions: 0 (the timeout fires early).
// Twin: timed_wait_fixed.cpp.

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
    static_cast<void>(received);
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
