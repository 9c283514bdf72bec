// EXPECT: pass
// PRIMITIVES: all of them in one program
// Four threads pass a token through everything that one thread can wait at for another: locks of all kinds, condition
// variables, semaphores, barriers, futexes, futures, descriptors, spinning and time.
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>

namespace {

using namespace std::chrono_literals;

constexpr int kThreads = 3;

struct World {
  std::mutex mutex;
  std::condition_variable changed;
  std::recursive_timed_mutex timed;
  std::shared_mutex shared;
  pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_spinlock_t spin;
  pthread_barrier_t posix_barrier;
  sem_t posix_semaphore;
  std::barrier<> barrier{kThreads};
  std::latch latch{kThreads};
  std::counting_semaphore<> semaphore{0};
  std::once_flag once;
  std::atomic<int> word{0};
  std::atomic<bool> flag{false};
  std::promise<int> promise;
  std::shared_future<int> future{promise.get_future()};
  int pipe_ends[2];
  int sockets[2];
  int events;
  int turn = 0;     // under mutex
  int counted = 0;  // under spin
  int written = 0;  // under rwlock
  int sum = 0;      // under shared
  int made = 0;     // once
  int under_timed = 0;

  World() {
    assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_barrier_init(&posix_barrier, nullptr, kThreads) == 0);
    assert(sem_init(&posix_semaphore, 0, 0) == 0);
    assert(pipe(pipe_ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    events = eventfd(0, 0);
    assert(events >= 0);
  }
  ~World() {
    for (const int descriptor : {pipe_ends[0], pipe_ends[1], sockets[0], sockets[1], events}) close(descriptor);
    sem_destroy(&posix_semaphore);
    pthread_barrier_destroy(&posix_barrier);
    pthread_spin_destroy(&spin);
    pthread_rwlock_destroy(&rwlock);
  }
};

void work(World& world, int me) {
  thread_local int mine = 0;
  assert(mine++ == 0);

  {  // one after the other
    std::unique_lock lock(world.mutex);
    if (!world.changed.wait_for(lock, 1h, [&] { return world.turn == me; }))
      world.changed.wait(lock, [&] { return world.turn == me; });
    ++world.turn;
    world.changed.notify_all();
  }
  std::call_once(world.once, [&] { world.made = 1; });
  assert(world.made == 1);
  if (world.timed.try_lock_for(1ms)) {
    const std::lock_guard again(world.timed);
    ++world.under_timed;
    world.timed.unlock();
  }

  pthread_spin_lock(&world.spin);
  ++world.counted;
  pthread_spin_unlock(&world.spin);
  pthread_barrier_wait(&world.posix_barrier);
  pthread_spin_lock(&world.spin);
  assert(world.counted == kThreads);
  pthread_spin_unlock(&world.spin);

  pthread_rwlock_wrlock(&world.rwlock);
  ++world.written;
  pthread_rwlock_unlock(&world.rwlock);
  world.barrier.arrive_and_wait();
  pthread_rwlock_rdlock(&world.rwlock);
  assert(world.written == kThreads);
  pthread_rwlock_unlock(&world.rwlock);

  {
    const std::unique_lock lock(world.shared);
    world.sum += me;
  }
  world.latch.arrive_and_wait();
  {
    const std::shared_lock lock(world.shared);
    assert(world.sum == 3);
  }

  // Round the circle: 0 wakes 1 through a pipe and a socket, 1 wakes 2 through futexes, 2 wakes 0 through semaphores.
  char byte = 0;
  if (me == 0) {
    assert(write(world.pipe_ends[1], "a", 1) == 1);
    std::this_thread::sleep_for(1s);
    assert(send(world.sockets[0], "b", 1, 0) == 1);
    world.semaphore.acquire();
    while (sem_wait(&world.posix_semaphore) != 0) {
    }
  } else if (me == 1) {
    pollfd ready{world.pipe_ends[0], POLLIN, 0};
    assert(poll(&ready, 1, -1) == 1);
    assert(read(world.pipe_ends[0], &byte, 1) == 1 && byte == 'a');
    assert(recv(world.sockets[1], &byte, 1, 0) == 1 && byte == 'b');
    world.word = 1;
    world.word.notify_all();
    world.promise.set_value(7);
    assert(eventfd_write(world.events, 3) == 0);
  } else {
    world.word.wait(0);
    assert(world.word == 1 && world.future.get() == 7);
    eventfd_t value = 0;
    assert(eventfd_read(world.events, &value) == 0 && value == 3);
    world.semaphore.release();
    sem_post(&world.posix_semaphore);
    world.flag = true;
  }
  while (!world.flag) std::this_thread::yield();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  World world;
  std::jthread watcher([&](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(10ms);
  });
  {
    std::jthread first(work, std::ref(world), 0);
    std::jthread second(work, std::ref(world), 1);
    auto third = std::async(std::launch::async, work, std::ref(world), 2);
    third.get();
  }
  watcher.request_stop();
  watcher.join();
  assert(world.turn == kThreads && world.under_timed <= kThreads);
  return 0;
}
