// EXPECT: pass
// Twin of recursive_mutex_misuse.cpp. The early return releases the lock as well, by way of a
// lock_guard.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

class Log {
 public:
  void append() {
    const std::lock_guard lock(mutex_);
    ++pending_;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    flush();
  }

 private:
  void flush() {
    const std::lock_guard lock(mutex_);
    if (pending_ == 0) return;
    written_ += pending_;
    pending_ = 0;
  }

  std::recursive_mutex mutex_;
  int pending_ = 0;
  int written_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Log log;
  std::thread writer([&] { log.append(); });
  std::thread closer([&] { log.close(); });
  writer.join();
  closer.join();
  return 0;
}
