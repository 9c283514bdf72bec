// EXPECT: pass
// Twin of thread_local_counter.cpp. The version is an ordinary global under the same mutex.

#undef NDEBUG
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

int version;

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
