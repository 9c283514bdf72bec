// EXPECT: pass
// PRIMITIVES: futex
// Raw futex calls: what they return, whom they wake, and that a wait compares and sleeps in one step.
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

using Word = std::atomic<uint32_t>;

long futex(Word* word, int operation, uint32_t value, const timespec* timeout = nullptr, Word* second = nullptr,
           uint32_t third = 0) {
  return syscall(SYS_futex, word, operation, value, timeout, second, third);
}
long futex_2(Word* word, int operation, uint32_t value, int count, Word* second, uint32_t third = 0) {
  return syscall(SYS_futex, word, operation, value, static_cast<long>(count), second, third);
}

void fails_with(long result, int error) { assert(result == -1 && errno == error); }

timespec after(clockid_t clock, time_t seconds) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += seconds;
  return time;
}

// The lock of "Futexes are tricky": 0 free, 1 locked, 2 locked and somebody may wait.
class Lock {
 public:
  void lock() {
    uint32_t seen = 0;
    if (state_.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
    if (seen != 2) seen = state_.exchange(2, std::memory_order_acquire);
    while (seen != 0) {
      const long result = futex(&state_, FUTEX_WAIT_PRIVATE, 2);
      assert(result == 0 || errno == EAGAIN);
      seen = state_.exchange(2, std::memory_order_acquire);
    }
  }
  void unlock() {
    if (state_.exchange(0, std::memory_order_release) == 2) assert(futex(&state_, FUTEX_WAKE_PRIVATE, 1) >= 0);
  }

 private:
  Word state_{0};
};

void excludes() {
  Lock lock;
  int value = 0;
  const auto add = [&] {
    lock.lock();
    ++value;
    lock.unlock();
  };
  std::thread first(add);
  std::thread second(add);
  add();
  first.join();
  second.join();
  assert(value == 3);
}

void gives_error_codes() {
  Word word{5};
  Word other{0};
  const timespec second{1, 0};
  const timespec bad{0, 1'000'000'000};
  const timespec negative{-1, 0};
  const timespec past{0, 0};
  fails_with(futex(&word, FUTEX_WAIT, 4), EAGAIN);
  fails_with(futex(&word, FUTEX_WAIT, 4, &bad), EINVAL);
  fails_with(futex(&word, FUTEX_WAIT, 5, &negative), EINVAL);
  fails_with(futex(nullptr, FUTEX_WAIT, 5), EFAULT);
  fails_with(syscall(SYS_futex, reinterpret_cast<char*>(&word) + 1, FUTEX_WAIT, 5, nullptr), EINVAL);
  fails_with(futex(&word, FUTEX_WAIT_BITSET, 5, nullptr, nullptr, 0), EINVAL);
  fails_with(futex(&word, FUTEX_WAKE_BITSET, 5, nullptr, nullptr, 0), EINVAL);
  fails_with(futex(&word, 99, 5), ENOSYS);
  fails_with(futex(&word, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 5), ENOSYS);
  fails_with(futex_2(&word, FUTEX_REQUEUE, static_cast<uint32_t>(-1), 1, &other), EINVAL);
  fails_with(futex_2(&word, FUTEX_CMP_REQUEUE, 1, 1, &other, 4), EAGAIN);
  assert(futex(&word, FUTEX_WAKE, INT_MAX) == 0);
  assert(futex_2(&word, FUTEX_REQUEUE, 1, 1, &other) == 0);
  assert(futex_2(&word, FUTEX_CMP_REQUEUE, 1, 1, &other, 5) == 0);

  // Nobody wakes these; a wake-up for no reason is allowed.
  long result = futex(&word, FUTEX_WAIT_PRIVATE, 5, &second);
  assert(result == 0 || errno == ETIMEDOUT);
  timespec deadline = after(CLOCK_MONOTONIC, 1);
  result = futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 5, &deadline, nullptr, 1);
  assert(result == 0 || errno == ETIMEDOUT);
  deadline = after(CLOCK_REALTIME, 1);
  result = futex(&word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 5, &deadline, nullptr, 1);
  assert(result == 0 || errno == ETIMEDOUT);
  if (result != 0) {
    const timespec now = after(CLOCK_REALTIME, 0);
    assert(now.tv_sec > deadline.tv_sec || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec));
  }
  result = futex(&word, FUTEX_WAIT_BITSET, 5, &past, nullptr, 1);
  assert(result == 0 || errno == ETIMEDOUT);
}

// Wakes by bits: a wake for another bit does not count as one.
void wakes_by_bits() {
  Word word{0};
  std::atomic<int> woken{0};
  const auto wait = [&](uint32_t bits) {
    while (word.load() == 0) futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, nullptr, nullptr, bits);
    ++woken;
  };
  std::thread first(wait, 1U);
  std::thread second(wait, 6U);
  const long none = futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr, 8);
  assert(none == 0);
  word = 1;
  const long left = futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr, 1);
  const long right = futex(&word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr, 2);
  assert(left >= 0 && left <= 1 && right >= 0 && right <= 1);
  first.join();
  second.join();
  assert(woken == 2);
}

// A condition variable of the old kind: a broadcast wakes one and moves the others to the lock's word.
void moves_waiters() {
  Word sequence{0};
  Word gate{1};
  const auto wait = [&] {
    while (sequence.load() == 0) futex(&sequence, FUTEX_WAIT_PRIVATE, 0);
    while (gate.load() != 0) futex(&gate, FUTEX_WAIT_PRIVATE, 1);
  };
  std::thread first(wait);
  std::thread second(wait);
  std::thread third(wait);
  sequence = 1;
  const long touched = futex_2(&sequence, FUTEX_CMP_REQUEUE_PRIVATE, 1, INT_MAX, &gate, 1);
  assert(touched >= 0 && touched <= 3);
  gate = 0;
  assert(futex(&gate, FUTEX_WAKE_PRIVATE, INT_MAX) <= 3);
  first.join();
  second.join();
  third.join();
}

void changes_a_word_and_wakes() {
  Word first_word{0};
  Word second_word{7};
  std::thread waiter([&] {
    while (first_word.load() == 0) futex(&first_word, FUTEX_WAIT_PRIVATE, 0);
  });
  std::thread other([&] {
    while (second_word.load() == 7) futex(&second_word, FUTEX_WAIT_PRIVATE, 7);
    assert(second_word.load() == 10);
  });
  first_word = 1;
  const long woken = futex_2(&first_word, FUTEX_WAKE_OP_PRIVATE, INT_MAX, INT_MAX, &second_word,
                             FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 7));
  assert(woken >= 0 && woken <= 2);
  waiter.join();
  other.join();

  const auto change = [&](uint32_t start, uint32_t operation) {
    second_word = start;
    assert(futex_2(&first_word, FUTEX_WAKE_OP_PRIVATE, 1, 1, &second_word, operation) == 0);
    return second_word.load();
  };
  assert(change(1, FUTEX_OP(FUTEX_OP_SET, 9, FUTEX_OP_CMP_LT, 0)) == 9);
  assert(change(1, FUTEX_OP(FUTEX_OP_ADD, 0xFFF, FUTEX_OP_CMP_GE, 0)) == 0);  // minus one, in twelve bits
  assert(change(8, FUTEX_OP(FUTEX_OP_OR, 3, FUTEX_OP_CMP_LE, 0)) == 11);
  assert(change(15, FUTEX_OP(FUTEX_OP_ANDN, 6, FUTEX_OP_CMP_GT, 0)) == 9);
  assert(change(15, FUTEX_OP(FUTEX_OP_XOR, 5, FUTEX_OP_CMP_NE, 0)) == 10);
  assert(change(0, FUTEX_OP(FUTEX_OP_OPARG_SHIFT | FUTEX_OP_OR, 4, FUTEX_OP_CMP_NE, 0)) == 16);
  fails_with(futex_2(&first_word, FUTEX_WAKE_OP_PRIVATE, 1, 1, &second_word, FUTEX_OP(7, 0, 0, 0)), ENOSYS);
}

// Threads have different numbers, though one carries them all.
void has_thread_numbers() {
  const long mine = syscall(SYS_gettid);
  assert(mine == gettid());
  std::thread([&] {
    assert(syscall(SYS_gettid) != mine);
    assert(syscall(SYS_gettid) == gettid());
    assert(tgkill(getpid(), gettid(), 0) == 0);  // is it there?
    assert(syscall(SYS_tgkill, getpid(), gettid(), 0) == 0);
  }).join();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switch (size > 0 ? data[0] % 4 : 0) {
    case 0:
      excludes();
      gives_error_codes();
      break;
    case 1: wakes_by_bits(); break;
    case 2: moves_waiters(); break;
    default: changes_a_word_and_wakes(); has_thread_numbers();
  }
  return 0;
}
