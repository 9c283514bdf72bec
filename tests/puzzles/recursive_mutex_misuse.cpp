// EXPECT: deadlock builds=plain,tsan,asan
// A recursive mutex locked twice and unlocked once, on an early return. The thread that leaks the
// lock could go on taking it for ever and never notices; only the other thread does. Shows when
// close() finds nothing to flush and the append comes after it.
// Least preemptions: 0 (the second thread goes first).
// Twin: recursive_mutex_misuse_fixed.cpp.

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
    mutex_.lock();
    if (pending_ == 0) return;
    written_ += pending_;
    pending_ = 0;
    mutex_.unlock();
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
