// EXPECT: plain=assertion tsan=data-race|assertion asan=assertion builds=plain,tsan,asan
// Double-checked locking that publishes the object before it is filled in.
// Shows when the second thread finds the pointer on its unlocked first check, while the first
// thread holds the lock and has not loaded the limit yet: it uses a limit of 0.
// Least preemptions: 1.
// Twin: double_checked_locking_fixed.cpp.

#undef NDEBUG
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Config {
  [[gnu::noinline]] void load() { limit = 42; }

  int limit = 0;
};

class Settings {
 public:
  ~Settings() { delete config_; }

  const Config& config() {
    if (config_ == nullptr) {
      const std::lock_guard lock(mutex_);
      if (config_ == nullptr) {
        config_ = new Config;
        config_->load();
      }
    }
    return *config_;
  }

 private:
  std::mutex mutex_;
  Config* config_ = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Settings settings;
  const auto use = [&] { assert(settings.config().limit == 42); };
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  return 0;
}
