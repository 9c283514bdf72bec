// EXPECT: pass
// Twin of missed_predicate.cpp. The predicate is checked in a loop.

#undef NDEBUG
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Queue {
  void put() {
    const std::lock_guard lock(mutex);
    ++items;
    added.notify_one();
  }

  void take() {
    std::unique_lock lock(mutex);
    while (items == 0) added.wait(lock);
    assert(items > 0);
    --items;
  }

  std::mutex mutex;
  std::condition_variable added;
  int items = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Queue queue;
  std::thread consumer([&] { queue.take(); });
  std::thread thief([&] { queue.take(); });
  std::thread producer([&] {
    queue.put();
    queue.put();
  });
  consumer.join();
  thief.join();
  producer.join();
  assert(queue.items == 0);
  return 0;
}
