// EXPECT: pass
// PRIMITIVES: std::atomic, std::atomic_thread_fence
// Mutual exclusion by reads and writes alone (Peterson, Dekker), a sequence lock with readers that try again, and a
// barrier whose threads spin on its sense.
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

class Peterson {
 public:
  void lock(int me) {
    wants_[me] = true;
    last_ = me;
    while (wants_[1 - me] && last_ == me) {
    }
  }
  void unlock(int me) { wants_[me] = false; }

 private:
  std::atomic<bool> wants_[2] = {false, false};
  std::atomic<int> last_{0};
};

class Dekker {
 public:
  void lock(int me) {
    wants_[me] = true;
    while (wants_[1 - me]) {
      if (turn_ == me) continue;
      wants_[me] = false;
      while (turn_ != me) {
      }
      wants_[me] = true;
    }
  }
  void unlock(int me) {
    turn_ = 1 - me;
    wants_[me] = false;
  }

 private:
  std::atomic<bool> wants_[2] = {false, false};
  std::atomic<int> turn_{0};
};

template <class Lock>
void exclude() {
  Lock lock;
  int count = 0;
  const auto work = [&](int me) {
    for (int i = 0; i < 3; ++i) {
      lock.lock(me);
      ++count;
      lock.unlock(me);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  assert(count == 6);
}

class SequenceLock {
 public:
  void write(int value) {
    const unsigned before = sequence_.load(std::memory_order_relaxed);
    sequence_.store(before + 1);
    first_.store(value);
    second_.store(value);
    sequence_.store(before + 2);
  }
  int read() const {
    for (;;) {
      unsigned before = 0;
      while ((before = sequence_.load()) % 2 == 1) {
      }
      const int first = first_.load();
      const int second = second_.load();
      if (sequence_.load() != before) continue;
      assert(first == second);
      return first;
    }
  }

 private:
  std::atomic<unsigned> sequence_{0};
  std::atomic<int> first_{0};
  std::atomic<int> second_{0};
};

void read_while_written() {
  SequenceLock shared;
  const auto read = [&] {
    int last = 0;
    while (last < 3) {
      const int value = shared.read();
      assert(value >= last);
      last = value;
    }
  };
  std::thread first(read);
  std::thread second(read);
  std::thread writer([&] {
    for (int i = 1; i <= 3; ++i) shared.write(i);
  });
  first.join();
  second.join();
  writer.join();
}

void meet() {
  std::atomic<int> missing{3};
  std::atomic<bool> sense{false};
  int parts[3] = {};
  const auto work = [&](int me) {
    parts[me] = me + 1;
    if (missing.fetch_sub(1) == 1) {
      sense = true;
    } else {
      while (!sense) {
      }
    }
    assert(parts[0] + parts[1] + parts[2] == 6);
  };
  std::thread first(work, 1);
  std::thread second(work, 2);
  work(0);
  first.join();
  second.join();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  exclude<Peterson>();
  exclude<Dekker>();
  read_while_written();
  meet();
  return 0;
}
