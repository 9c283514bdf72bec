// EXPECT: pass
// LIBRARY: libboost-dev boost/lockfree/queue.hpp
// Queues and stacks of Boost.Lockfree: header code, instrumented like the program's own.
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

template <class Container>
void passes_values(Container& container) {
  const auto put = [&] {
    while (!container.push(1)) std::this_thread::yield();
    while (!container.push(2)) std::this_thread::yield();
  };
  std::thread producer(put);
  int sum = 0;
  for (int taken = 0; taken < 2;) {
    int value = 0;
    if (container.pop(value)) {
      sum += value;
      ++taken;
    } else {
      std::this_thread::yield();
    }
  }
  producer.join();
  assert(sum == 3);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switch (size > 0 ? data[0] % 3 : 0) {
    case 0: {
      boost::lockfree::queue<int> queue(4);
      passes_values(queue);
      break;
    }
    case 1: {
      boost::lockfree::stack<int> stack(4);
      passes_values(stack);
      break;
    }
    default: {
      boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
      passes_values(queue);
    }
  }
  return 0;
}
