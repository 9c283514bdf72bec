// EXPECT: plain=assertion tsan=data-race|assertion asan=assertion builds=plain,tsan,asan
// A reader-writer lock made by hand that counts a new reader after it has let go of the mutex.
// Shows when the reader has seen that nobody writes but is not counted yet, the writer comes in,
// and the reader goes on while the writer is still inside.
// Least preemptions: 2.
// Twin: broken_reader_count_fixed.cpp.

#undef NDEBUG
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

class ReaderWriterLock {
 public:
  bool try_lock_shared() {
    {
      const std::lock_guard lock(mutex_);
      if (writing_) return false;
    }
    ++readers_;
    return true;
  }

  void unlock_shared() {
    const std::lock_guard lock(mutex_);
    --readers_;
  }

  bool try_lock() {
    const std::lock_guard lock(mutex_);
    if (writing_ || readers_ > 0) return false;
    writing_ = true;
    return true;
  }

  void unlock() {
    const std::lock_guard lock(mutex_);
    writing_ = false;
  }

 private:
  std::mutex mutex_;
  std::atomic<int> readers_{0};
  bool writing_ = false;
};

struct Document {
  void read() {
    if (!lock.try_lock_shared()) return;
    assert(!being_written);
    last_seen = revision;
    lock.unlock_shared();
  }

  void write() {
    if (!lock.try_lock()) return;
    being_written = true;
    ++revision;
    being_written = false;
    lock.unlock();
  }

  ReaderWriterLock lock;
  std::atomic<bool> being_written{false};
  int revision = 0;
  int last_seen = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Document document;
  std::thread reader([&] { document.read(); });
  std::thread writer([&] { document.write(); });
  reader.join();
  writer.join();
  return 0;
}
