// EXPECT: pass
// PRIMITIVES: std::call_once, pthread_once
// std::call_once and pthread_once run their function once; an exception lets the next caller try again.
#include <pthread.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

int* once_target = nullptr;
void set_target() { ++*once_target; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::once_flag once;
  std::once_flag shaky;
  pthread_once_t posix = PTHREAD_ONCE_INIT;
  int calls = 0;
  int attempts = 0;
  int posix_calls = 0;
  once_target = &posix_calls;
  int caught[2] = {};
  const auto work = [&](int me) {
    std::call_once(once, [&] { ++calls; });
    assert(calls == 1);
    try {
      std::call_once(shaky, [&] {
        if (++attempts == 1) throw std::runtime_error("once more");
      });
      assert(attempts == 2);
    } catch (const std::runtime_error&) {
      ++caught[me];
      std::call_once(shaky, [&] { ++attempts; });
      assert(attempts == 2);
    }
    assert(pthread_once(&posix, set_target) == 0);
    assert(posix_calls == 1);
  };
  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();
  assert(caught[0] + caught[1] == 1);
  return 0;
}
