// EXPECT: pass
// Twin of racy_singleton.cpp. std::call_once creates the instance.

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
    std::call_once(once_, [this] { instance_ = new Service(created_); });
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
