// EXPECT: tsan=data-race|memory-error asan=memory-error builds=tsan,asan
// A reference count that is decremented in one step and compared with zero in another.
// Shows when the second thread drops the last reference and deletes the object between the two
// steps of the first: the first reads the count of a deleted object. The plain build has no oracle
// for it.
// Least preemptions: 1.
// Twin: use_after_free_fixed.cpp.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

class Buffer {
 public:
  explicit Buffer(int references) : references_(references) {}

  void release() {
    --references_;
    if (references_ == 0) delete this;
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
