// EXPECT: pass
// LIBRARY: libboost-thread-dev boost/thread.hpp
// LINK: -lboost_thread -lboost_chrono
// boost::mutex, condition_variable, shared_mutex, barrier, future, and threads that are interrupted.
#define BOOST_THREAD_VERSION 4
#include <boost/thread.hpp>
#include <boost/thread/barrier.hpp>
#include <boost/thread/future.hpp>

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace {

void waits() {
  boost::mutex mutex;
  boost::condition_variable changed;
  bool ready = false;
  boost::thread other([&] {
    const boost::lock_guard<boost::mutex> lock(mutex);
    ready = true;
    changed.notify_one();
  });
  {
    boost::unique_lock<boost::mutex> lock(mutex);
    while (!ready) changed.wait_for(lock, boost::chrono::milliseconds(10));
  }
  other.join();
}

void shares() {
  boost::shared_mutex mutex;
  int value = 0;
  boost::thread writer([&] {
    const boost::unique_lock<boost::shared_mutex> lock(mutex);
    ++value;
  });
  boost::thread reader([&] {
    const boost::shared_lock<boost::shared_mutex> lock(mutex);
    assert(value == 0 || value == 1);
  });
  {
    boost::upgrade_lock<boost::shared_mutex> lock(mutex);
    const boost::upgrade_to_unique_lock<boost::shared_mutex> exclusive(lock);
    value = value + 0;
  }
  writer.join();
  reader.join();
  assert(value == 1);
}

void meets() {
  boost::barrier barrier(2);
  int left = 0;
  int right = 0;
  boost::thread other([&] {
    left = 1;
    barrier.wait();
    assert(right == 1);
  });
  right = 1;
  barrier.wait();
  assert(left == 1);
  other.join();
}

void passes_results() {
  boost::promise<int> promise;
  boost::future<int> future = promise.get_future();
  boost::thread other([&] { promise.set_value(4); });
  boost::future<int> next = boost::async(boost::launch::async, [] { return 5; });
  assert(future.get() + next.get() == 9);
  other.join();
}

void interrupts() {
  bool interrupted = false;
  boost::thread other([&] {
    try {
      boost::mutex mutex;
      boost::condition_variable never;
      boost::unique_lock<boost::mutex> lock(mutex);
      for (;;) never.wait(lock);
    } catch (const boost::thread_interrupted&) {
      interrupted = true;
    }
  });
  other.interrupt();
  other.join();
  assert(interrupted);
}

}  // namespace

// The library sets itself up when it is first used: outside the runs, so that they are all alike.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  boost::thread([] {}).join();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switch (size > 0 ? data[0] % 5 : 0) {
    case 0: waits(); break;
    case 1: shares(); break;
    case 2: meets(); break;
    case 3: passes_results(); break;
    default: interrupts();
  }
  return 0;
}
