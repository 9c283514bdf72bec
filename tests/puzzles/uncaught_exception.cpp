// EXPECT: exception builds=plain,tsan,asan
// Each step is locked, but two steps that belong together are not locked together. Two threads see
// the one job in the queue; the second to take it throws out of its thread.
// Shows when both have checked the queue before either has taken the job.
// Least preemptions: 1.
// Twin: uncaught_exception_fixed.cpp.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

class Jobs {
 public:
  bool empty() {
    const std::lock_guard lock(mutex_);
    return count_ == 0;
  }

  void take() {
    const std::lock_guard lock(mutex_);
    take_locked();
  }

  void take_if_any() {
    const std::lock_guard lock(mutex_);
    if (count_ > 0) take_locked();
  }

 private:
  void take_locked() {
    if (count_ == 0) throw std::out_of_range("no job");
    --count_;
  }

  std::mutex mutex_;
  int count_ = 1;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Jobs jobs;
  const auto work = [&] {
    if (!jobs.empty()) jobs.take();
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return 0;
}
