// EXPECT: pass
// PRIMITIVES: std::thread, pthread_create, pthread_join
// Forty threads at once, and threads that start threads.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Counter {
  std::mutex mutex;
  int value = 0;
  void add() {
    const std::lock_guard lock(mutex);
    ++value;
  }
};

void tree(Counter& counter, int depth) {
  counter.add();
  if (depth == 0) return;
  std::thread left(tree, std::ref(counter), depth - 1);
  std::thread right(tree, std::ref(counter), depth - 1);
  left.join();
  right.join();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i) threads.emplace_back([&] { counter.add(); });
  for (std::thread& thread : threads) thread.join();
  assert(counter.value == 40);
  tree(counter, 2);
  assert(counter.value == 47);
  return 0;
}
