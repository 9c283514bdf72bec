// EXPECT: pass
// PRIMITIVES: exceptions in threads
// Exceptions thrown, nested and caught while other threads do the same: each thread has its own.
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::atomic<int> steps{0};

struct Step {
  ~Step() { ++steps; }  // a place to switch while the stack unwinds
};

[[noreturn]] void fail(const std::string& what) {
  const Step step;
  ++steps;
  throw std::runtime_error(what);
}

void work(const std::string& name, std::exception_ptr& kept) {
  try {
    const Step step;
    fail(name);
  } catch (const std::runtime_error& error) {
    ++steps;
    assert(error.what() == name && std::uncaught_exceptions() == 0);
    try {
      fail(name + " again");
    } catch (const std::exception& second) {
      ++steps;
      assert(second.what() == name + " again");
      kept = std::current_exception();
    }
    ++steps;
    assert(error.what() == name);
  }
  assert(!std::current_exception());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::exception_ptr kept[2];
  std::thread first(work, "first", std::ref(kept[0]));
  std::thread second(work, "second", std::ref(kept[1]));
  first.join();
  second.join();
  for (int i = 0; i < 2; ++i) {
    try {
      std::rethrow_exception(kept[i]);
    } catch (const std::runtime_error& error) {
      assert(error.what() == std::string(i == 0 ? "first again" : "second again"));
    }
  }
  return 0;
}
