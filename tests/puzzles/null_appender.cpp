// EXPECT: plain=signal tsan=data-race|signal asan=signal|memory-error builds=plain,tsan,asan
// The null appender of log4j: a check and a use of one pointer, and another thread in between.
// is_as_severe_as_threshold() finds a threshold and then follows the pointer a second time.
// Shows when close() sets the pointer to null between the check and the use.
// Least preemptions: 1.
// Twin: null_appender_fixed.cpp.

#undef NDEBUG
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Level {
  int severity = 0;
};

class Appender {
 public:
  explicit Appender(const Level* threshold) : threshold_(threshold) {}

  bool is_as_severe_as_threshold(const Level& level) { return threshold_ == nullptr || compare_with_threshold(level); }

  void close() {
    const std::lock_guard lock(mutex_);
    threshold_ = nullptr;
  }

 private:
  // Kept out of line so that the optimiser does not reuse the pointer that was checked.
  [[gnu::noinline]] bool compare_with_threshold(const Level& level) { return level.severity >= threshold_->severity; }

  std::mutex mutex_;
  const Level* threshold_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  const Level warning{3};
  const Level error{4};
  Appender appender(&warning);
  bool logged = false;
  std::thread logger([&] { logged = appender.is_as_severe_as_threshold(error); });
  std::thread closer([&] { appender.close(); });
  logger.join();
  closer.join();
  assert(logged);
  return 0;
}
