// EXPECT: deadlock builds=plain,tsan,asan
// A read lock taken again by the thread that has it, on a lock that lets waiting writers go first.
// Shows when the writer comes between the two.
// Least preemptions: 1.
// Twin: recursive_read_lock_fixed.cpp.

#include <pthread.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

struct Prices {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  int price = 10;

  int one() {
    pthread_rwlock_rdlock(&lock);
    const int found = price;
    pthread_rwlock_unlock(&lock);
    return found;
  }

  int two() {
    pthread_rwlock_rdlock(&lock);
    const int sum = one() + one();
    pthread_rwlock_unlock(&lock);
    return sum;
  }

  void raise() {
    pthread_rwlock_wrlock(&lock);
    ++price;
    pthread_rwlock_unlock(&lock);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Prices prices;
  std::thread reader([&] {
    const int sum = prices.two();
    assert(sum == 20 || sum == 22);
  });
  std::thread writer([&] { prices.raise(); });
  reader.join();
  writer.join();
  pthread_rwlock_destroy(&prices.lock);
  return 0;
}
