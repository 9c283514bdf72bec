// EXPECT: pass
// LIBRARY: libabsl-dev absl/synchronization/mutex.h
// LINK: pkg-config absl_synchronization
// BUILDS: plain,asan
// absl::Mutex, CondVar, Notification, BlockingCounter and Barrier. TSan needs the library compiled with it.
#include <absl/synchronization/barrier.h>
#include <absl/synchronization/blocking_counter.h>
#include <absl/synchronization/mutex.h>
#include <absl/synchronization/notification.h>
#include <absl/time/time.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

void excludes_and_waits() {
  absl::Mutex mutex;
  int value = 0;
  std::thread first([&] {
    const absl::MutexLock lock(&mutex);
    ++value;
  });
  std::thread second([&] {
    const absl::ReaderMutexLock lock(&mutex);
    assert(value >= 0 && value <= 1);
  });
  mutex.Lock();
  mutex.Await(absl::Condition(+[](int* number) { return *number == 1; }, &value));
  mutex.Unlock();
  first.join();
  second.join();
}

void signals() {
  absl::Mutex mutex;
  absl::CondVar changed;
  bool ready = false;
  std::thread other([&] {
    const absl::MutexLock lock(&mutex);
    ready = true;
    changed.SignalAll();
  });
  mutex.Lock();
  while (!ready) changed.WaitWithTimeout(&mutex, absl::Milliseconds(10));
  mutex.Unlock();
  other.join();
}

void notifies() {
  absl::Notification done;
  absl::BlockingCounter counter(2);
  const auto work = [&] {
    done.WaitForNotification();
    counter.DecrementCount();
  };
  std::thread first(work);
  std::thread second(work);
  done.WaitForNotificationWithTimeout(absl::Milliseconds(1));
  done.Notify();
  counter.Wait();
  first.join();
  second.join();
}

void meets() {
  auto* barrier = new absl::Barrier(2);
  const auto work = [&] {
    if (barrier->Block()) delete barrier;
  };
  std::thread other(work);
  work();
  other.join();
}

}  // namespace

// The library sets itself up when it is first used, and measures the CPU's real clock for it: outside the runs.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  notifies();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switch (size > 0 ? data[0] % 4 : 0) {
    case 0: excludes_and_waits(); break;
    case 1: signals(); break;
    case 2: notifies(); break;
    default: meets();
  }
  return 0;
}
