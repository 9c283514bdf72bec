// EXPECT: pass
// Twin of use_after_free.cpp. Decrement and comparison are one atomic step.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

class Buffer {
 public:
  explicit Buffer(int references) : references_(references) {}

  void release() {
    if (--references_ == 0) delete this;
  }

 private:
  ~Buffer() = default;

  std::atomic<int> references_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Buffer* const buffer = new Buffer(2);
  std::thread first([=] { buffer->release(); });
  std::thread second([=] { buffer->release(); });
  first.join();
  second.join();
  return 0;
}
