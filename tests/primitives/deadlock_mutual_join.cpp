// EXPECT: deadlock builds=plain,tsan,asan
// PRIMITIVES: pthread_join
// Two threads join each other, which glibc does not notice; found at once, though others could go on.
#include <pthread.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>

namespace {

struct Couple {
  pthread_t first;
  pthread_t second;
};

void* join_back(void* argument) {
  pthread_join(static_cast<Couple*>(argument)->first, nullptr);
  return nullptr;
}

void* join_who_joins_me(void* argument) {
  Couple& couple = *static_cast<Couple*>(argument);
  couple.first = pthread_self();
  pthread_create(&couple.second, nullptr, join_back, argument);
  pthread_join(couple.second, nullptr);
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Couple couple;
  pthread_t thread;
  pthread_create(&thread, nullptr, join_who_joins_me, &couple);
  for (;;) sched_yield();
  return 0;
}
