// EXPECT: pass
// LIBRARY: libtbb-dev oneapi/tbb.h
// LINK: -ltbb
// BUILDS: plain,asan
// oneTBB. Its workers outlive a call; a harness ends them before it returns. TSan needs the library compiled with it.
#include <oneapi/tbb.h>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace {

void use(uint8_t what) {
  oneapi::tbb::task_scheduler_handle handle{oneapi::tbb::attach{}};
  std::atomic<int> sum{0};
  {
    const oneapi::tbb::global_control threads(oneapi::tbb::global_control::max_allowed_parallelism, 3);
    switch (what % 3) {
      case 0:
        oneapi::tbb::parallel_for(0, 4, [&](int i) { sum += i; });
        assert(sum == 6);
        break;
      case 1: {
        oneapi::tbb::task_group group;
        group.run([&] { ++sum; });
        group.run([&] { ++sum; });
        group.wait();
        assert(sum == 2);
        break;
      }
      default: {
        oneapi::tbb::concurrent_bounded_queue<int> queue;
        oneapi::tbb::task_group group;
        group.run([&] { queue.push(1); });
        int value = 0;
        queue.pop(value);
        assert(value == 1);
        group.wait();
      }
    }
  }
  oneapi::tbb::finalize(handle, std::nothrow);
}

}  // namespace

// The library sets itself up when it is first used: outside the runs, so that they are all alike.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  use(0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  use(size > 0 ? data[0] : 0);
  return 0;
}
