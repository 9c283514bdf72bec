// EXPECT: pass
// PRIMITIVES: std::shared_mutex, std::shared_timed_mutex, std::shared_lock
// The C++ read-write locks: readers together, writers alone, time limits, upgrades by letting go first.
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

namespace {

std::shared_mutex global;  // lives from run to run

struct Shared {
  std::shared_mutex mutex;
  std::shared_timed_mutex timed;
  int value = 0;
  int by_timed = 0;
  int by_global = 0;
};

int write(Shared& shared, bool until) {
  {
    const std::unique_lock lock(shared.mutex);
    ++shared.value;
  }
  {
    const std::lock_guard lock(global);
    ++shared.by_global;
  }
  std::unique_lock lock(shared.timed, std::defer_lock);
  if (!(until ? lock.try_lock_until(std::chrono::system_clock::now() + 1s) : lock.try_lock_for(1s))) return 0;
  ++shared.by_timed;
  return 1;
}

void read(Shared& shared) {
  {
    const std::shared_lock lock(shared.mutex);
    assert(shared.value >= 0 && shared.value <= 2);
  }
  std::shared_lock lock(shared.timed, std::defer_lock);
  if (lock.try_lock_for(1ms)) {
    assert(shared.by_timed <= 2);
    assert(!shared.timed.try_lock());
    lock.unlock();
  }
  if (lock.try_lock_until(std::chrono::system_clock::now() + 1ms)) assert(shared.by_timed <= 2);
  if (shared.mutex.try_lock_shared()) {
    assert(shared.value <= 2);
    shared.mutex.unlock_shared();
  }
  if (shared.mutex.try_lock()) {
    assert(shared.value <= 2);
    shared.mutex.unlock();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Shared shared;
  int made[2] = {};
  std::thread first([&] { made[0] = write(shared, false); });
  std::thread second([&] {
    made[1] = write(shared, true);
    read(shared);
  });
  read(shared);
  first.join();
  second.join();
  const std::shared_lock lock(shared.mutex);
  assert(shared.value == 2 && shared.by_global == 2);
  assert(shared.by_timed == made[0] + made[1]);
  return 0;
}
