// EXPECT: pass
// Twin of uncaught_exception.cpp. Check and removal happen under one lock.

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
  const auto work = [&] { jobs.take_if_any(); };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return 0;
}
