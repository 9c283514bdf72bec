// EXPECT: data-race builds=tsan
// PRIMITIVES: pthread_tryjoin_np
// A join that did not succeed orders nothing.
#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace {

void* work(void* argument) {
  *static_cast<int*>(argument) = 1;
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  int value = 0;
  pthread_t thread;
  pthread_create(&thread, nullptr, work, &value);
  const bool joined = pthread_tryjoin_np(thread, nullptr) == 0;
  value = 2;
  if (!joined) pthread_join(thread, nullptr);
  return 0;
}
