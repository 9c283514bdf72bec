// EXPECT: assertion builds=plain,tsan,asan
// A lock-free stack over a fixed pool of nodes, without protection from ABA. Two threads borrow two
// nodes at a time and give them back. Shows when one has read the top (0) and the node below it (1)
// and, before its compare-exchange, the other pops 0, pops 1 and pushes 0 back: the exchange
// succeeds, and node 1, which the other still holds, is on the stack too.
// Least preemptions: 2 (the other must not have given node 1 back yet).
// Twin: aba_stack_fixed.cpp.

#undef NDEBUG
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

constexpr std::int32_t kNone = -1;
constexpr std::int32_t kNodes = 4;
constexpr int kRounds = 3;

// More than an operation can need: an attempt fails only if the other thread's succeeded.
constexpr int kAttempts = 16;

// A stack of nodes 0 to 3 with node 0 on top. Nodes are indices into a fixed pool.
struct Stack {
  std::int32_t pop() {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::int32_t top = head;
      if (top == kNone) return kNone;
      const std::int32_t below = next[top];
      if (head.compare_exchange_strong(top, below)) return top;
    }
    return kNone;
  }

  void push(std::int32_t node) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::int32_t top = head;
      next[node] = top;
      if (head.compare_exchange_strong(top, node)) return;
    }
  }

  std::atomic<std::int32_t> head{0};
  std::array<std::atomic<std::int32_t>, kNodes> next{1, 2, 3, kNone};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Stack stack;
  const auto borrow = [&] {
    for (int round = 0; round < kRounds; ++round) {
      const std::int32_t first_node = stack.pop();
      const std::int32_t second_node = stack.pop();
      if (first_node != kNone) stack.push(first_node);
      if (second_node != kNone) stack.push(second_node);
    }
  };
  std::thread first(borrow);
  std::thread second(borrow);
  first.join();
  second.join();

  // Everything was given back: each node is on the stack once.
  std::array<int, kNodes> found{};
  for (std::int32_t i = 0; i < kNodes; ++i) {
    const std::int32_t node = stack.pop();
    assert(node != kNone);
    ++found[node];
    assert(found[node] == 1);
  }
  assert(stack.pop() == kNone);
  return 0;
}
