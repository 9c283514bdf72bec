// EXPECT: pass
// PRIMITIVES: std::atomic, std::atomic_flag
// Locks made of atomics, as textbooks have them, exclude and let everybody in: test-and-set, test and test-and-set,
// compare-exchange, ticket, MCS and CLH.
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

class TestAndSet {
 public:
  struct Node {};
  void lock(Node&) {
    while (flag_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock(Node&) { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

class TestThenSet {
 public:
  struct Node {};
  void lock(Node&) {
    while (held_.exchange(true, std::memory_order_acquire))
      while (held_.load(std::memory_order_relaxed)) {
      }
  }
  void unlock(Node&) { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

class CompareExchange {
 public:
  struct Node {};
  void lock(Node&) {
    for (int free = 0; !held_.compare_exchange_weak(free, 1, std::memory_order_acquire); free = 0) {
    }
  }
  void unlock(Node&) { held_.store(0, std::memory_order_release); }

 private:
  std::atomic<int> held_{0};
};

class Ticket {
 public:
  struct Node {};
  void lock(Node&) {
    const unsigned mine = next_.fetch_add(1, std::memory_order_relaxed);
    while (serving_.load(std::memory_order_acquire) != mine) {
    }
  }
  void unlock(Node&) { serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::atomic<unsigned> next_{0};
  std::atomic<unsigned> serving_{0};
};

// Mellor-Crummey and Scott: everybody spins on a flag of its own.
class Mcs {
 public:
  struct Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> waits{false};
  };
  void lock(Node& mine) {
    mine.next.store(nullptr, std::memory_order_relaxed);
    mine.waits.store(true, std::memory_order_relaxed);
    Node* const before = tail_.exchange(&mine, std::memory_order_acq_rel);
    if (before == nullptr) return;
    before->next.store(&mine, std::memory_order_release);
    while (mine.waits.load(std::memory_order_acquire)) {
    }
  }
  void unlock(Node& mine) {
    Node* last = &mine;
    if (mine.next.load(std::memory_order_acquire) == nullptr &&
        tail_.compare_exchange_strong(last, nullptr, std::memory_order_acq_rel))
      return;
    Node* next = nullptr;
    while ((next = mine.next.load(std::memory_order_acquire)) == nullptr) {
    }
    next->waits.store(false, std::memory_order_release);
  }

 private:
  std::atomic<Node*> tail_{nullptr};
};

// Craig, Landin and Hagersten: everybody spins on the flag of the one before.
class Clh {
 public:
  struct Cell {
    std::atomic<bool> busy{false};
  };
  struct Node {
    Cell own;
    Cell* mine = &own;
    Cell* before = nullptr;
  };
  void lock(Node& node) {
    node.mine->busy.store(true, std::memory_order_relaxed);
    node.before = tail_.exchange(node.mine, std::memory_order_acq_rel);
    while (node.before->busy.load(std::memory_order_acquire)) {
    }
  }
  void unlock(Node& node) {
    Cell* const mine = node.mine;
    node.mine = node.before;  // nobody else looks at it any more
    mine->busy.store(false, std::memory_order_release);
  }

 private:
  Cell first_;
  std::atomic<Cell*> tail_{&first_};
};

template <class Lock>
void contend() {
  Lock lock;
  typename Lock::Node nodes[3];  // outlive all users: a CLH cell passes from hand to hand
  int count = 0;
  const auto work = [&](int me) {
    for (int i = 0; i < 2; ++i) {
      lock.lock(nodes[me]);
      ++count;
      lock.unlock(nodes[me]);
    }
  };
  std::thread first(work, 1);
  std::thread second(work, 2);
  work(0);
  first.join();
  second.join();
  assert(count == 6);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  contend<TestAndSet>();
  contend<TestThenSet>();
  contend<CompareExchange>();
  contend<Ticket>();
  contend<Mcs>();
  contend<Clh>();
  return 0;
}
