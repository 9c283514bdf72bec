// EXPECT: pass
// Twin of double_checked_locking.cpp. The object is filled in first and published last, through an
// atomic pointer.

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
        Config* const config = new Config;
        config->load();
        config_ = config;
      }
    }
    return *config_;
  }

 private:
  std::mutex mutex_;
  std::atomic<Config*> config_{nullptr};
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
