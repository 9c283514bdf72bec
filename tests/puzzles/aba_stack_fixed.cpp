// EXPECT: pass
// Twin of aba_stack.cpp. The head carries a version that every change increments, so that a stale
// exchange fails.

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

struct Head {
  std::int32_t top;
  std::uint32_t version;
};

// A stack of nodes 0 to 3 with node 0 on top. Nodes are indices into a fixed pool.
struct Stack {
  std::int32_t pop() {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Head seen = head;
      if (seen.top == kNone) return kNone;
      const std::int32_t below = next[seen.top];
      if (head.compare_exchange_strong(seen, {below, seen.version + 1})) return seen.top;
    }
    return kNone;
  }

  void push(std::int32_t node) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Head seen = head;
      next[node] = seen.top;
      if (head.compare_exchange_strong(seen, {node, seen.version + 1})) return;
    }
  }

  std::atomic<Head> head{Head{0, 0}};
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
