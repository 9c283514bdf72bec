// EXPECT: assertion builds=plain,tsan,asan
// A singleton created on first use. The pointer is atomic, but check and creation are two steps.
// Shows when both threads find no instance before either has stored one: two are made.
// Least preemptions: 1.
// Twin: racy_singleton_fixed.cpp.

#undef NDEBUG
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct Service {
  explicit Service(std::atomic<int>& created) { ++created; }
};

class Registry {
 public:
  ~Registry() { delete instance_.load(); }

  Service& service() {
    if (instance_ == nullptr) instance_ = new Service(created_);
    return *instance_;
  }

  int created() const { return created_; }

 private:
  std::once_flag once_;
  std::atomic<int> created_{0};
  std::atomic<Service*> instance_{nullptr};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Registry registry;
  std::thread first([&] { registry.service(); });
  std::thread second([&] { registry.service(); });
  first.join();
  second.join();
  assert(registry.created() == 1);
  return 0;
}
