// EXPECT: pass
// PRIMITIVES: std::future, std::shared_future, std::promise, std::packaged_task, std::async
// Results and exceptions from one thread to another, in every way that <future> has.
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

void promises() {
  std::promise<std::string> promise;
  std::future<std::string> future = promise.get_future();
  int value = 0;
  std::thread other([&] {
    value = 1;
    promise.set_value("a string that is too long to be kept without memory of its own");
  });
  const auto before = std::chrono::steady_clock::now();
  std::future_status status = future.wait_for(10ms);
  assert(status == std::future_status::ready || std::chrono::steady_clock::now() - before >= 10ms);
  if (status != std::future_status::ready) status = future.wait_until(std::chrono::system_clock::now() + 1s);
  if (status != std::future_status::ready) future.wait_until(std::chrono::steady_clock::now() + 1s);
  assert(future.get().size() > 30);
  assert(value == 1);
  other.join();
}

void shares() {
  std::promise<int> promise;
  const std::shared_future<int> future = promise.get_future().share();
  const auto read = [future] { assert(future.get() == 5); };
  std::thread first(read);
  std::thread second(read);
  promise.set_value(5);
  first.join();
  second.join();
}

void throws() {
  std::future<int> future;
  {
    std::promise<int> promise;
    future = promise.get_future();
    std::thread([moved = std::move(promise)]() mutable {
      moved.set_exception(std::make_exception_ptr(std::runtime_error("no")));
    }).join();
  }
  try {
    future.get();
    assert(false);
  } catch (const std::runtime_error& error) {
    assert(error.what() == std::string("no"));
  }
  std::promise<int> broken;
  std::future<int> never = broken.get_future();
  std::thread breaker([moved = std::move(broken)]() {});
  try {
    never.get();
    assert(false);
  } catch (const std::future_error& error) {
    assert(error.code() == std::future_errc::broken_promise);
  }
  breaker.join();
}

void packages() {
  std::packaged_task<int(int)> task([](int n) { return n + 1; });
  std::future<int> future = task.get_future();
  std::thread other(std::move(task), 4);
  assert(future.get() == 5);
  other.join();
}

void runs_asynchronously() {
  int value = 0;
  std::future<int> one = std::async(std::launch::async, [&] {
    value = 1;
    return 2;
  });
  std::future<int> later = std::async(std::launch::deferred, [] { return 3; });
  assert(later.wait_for(0s) == std::future_status::deferred);
  std::thread taker([&] { assert(later.get() == 3); });
  assert(one.get() == 2);
  assert(value == 1);
  taker.join();
  int left = 0;
  {
    const auto dropped = std::async(std::launch::async, [&] { left = 1; });
  }  // waits for the task
  assert(left == 1);
}

// The result is there only when the thread's own variables are gone.
struct Goodbye {
  int* value = nullptr;
  ~Goodbye() { *value = 1; }
};

void is_ready_at_thread_exit() {
  const auto value = std::make_unique<int>(0);
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::packaged_task<int()> task([] { return 6; });
  std::future<int> second = task.get_future();
  std::thread other([&, moved = std::move(promise)]() mutable {
    thread_local Goodbye goodbye;
    goodbye.value = value.get();
    moved.set_value_at_thread_exit(5);
    task.make_ready_at_thread_exit();
  });
  assert(future.get() == 5);
  assert(*value == 1);
  assert(second.get() == 6);
  other.join();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switch (size > 0 ? data[0] % 6 : 0) {
    case 0: promises(); break;
    case 1: shares(); break;
    case 2: throws(); break;
    case 3: packages(); break;
    case 4: runs_asynchronously(); break;
    default: is_ready_at_thread_exit();
  }
  return 0;
}
