// EXPECT: assertion builds=plain,tsan,asan
// The version counter that invalidates a cache is meant to be shared but is thread_local. The
// writer increments its own copy, so the reader keeps using its cached value.
// Shows when the update falls between the reader's two reads: the second must see it and does not.
// Least preemptions: 1.
// Twin: thread_local_counter_fixed.cpp.

#undef NDEBUG
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

thread_local int version;

struct Setting {
  void update(int new_value) {
    const std::lock_guard lock(mutex);
    value = new_value;
    ++version;
  }

  std::mutex mutex;
  int value = 1;
};

class Reader {
 public:
  explicit Reader(Setting& setting) : setting_(setting) {}

  void read() {
    const std::lock_guard lock(setting_.mutex);
    if (version != cached_version_) {
      cached_version_ = version;
      cached_value_ = setting_.value;
    }
    assert(cached_value_ == setting_.value);
  }

 private:
  Setting& setting_;
  int cached_version_ = -1;
  int cached_value_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  version = 0;
  Setting setting;
  std::thread consumer([&] {
    Reader reader(setting);
    reader.read();
    reader.read();
  });
  std::thread writer([&] { setting.update(2); });
  consumer.join();
  writer.join();
  return 0;
}
