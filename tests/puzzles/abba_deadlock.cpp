// EXPECT: plain=deadlock tsan=deadlock|lock-order asan=deadlock builds=plain,tsan,asan
// Two pthread mutexes taken in opposite order.
// Shows when each thread holds its first lock and asks for its second.
// Least preemptions: 1.
// Twin: abba_deadlock_fixed.cpp.

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace {

struct Ledger {
  pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
  int entries = 0;
};

void record(Ledger& ledger, pthread_mutex_t& outer, pthread_mutex_t& inner) {
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&inner);
  ++ledger.entries;
  pthread_mutex_unlock(&inner);
  pthread_mutex_unlock(&outer);
}

void* forwards(void* argument) {
  Ledger& ledger = *static_cast<Ledger*>(argument);
  record(ledger, ledger.a, ledger.b);
  return nullptr;
}

void* backwards(void* argument) {
  Ledger& ledger = *static_cast<Ledger*>(argument);
  record(ledger, ledger.b, ledger.a);
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Ledger ledger;
  pthread_t first;
  pthread_t second;
  pthread_create(&first, nullptr, forwards, &ledger);
  pthread_create(&second, nullptr, backwards, &ledger);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
  pthread_mutex_destroy(&ledger.a);
  pthread_mutex_destroy(&ledger.b);
  return 0;
}
