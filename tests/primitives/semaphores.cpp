// EXPECT: pass
// PRIMITIVES: sem_init, sem_destroy, sem_wait, sem_trywait, sem_timedwait, sem_clockwait, sem_post, sem_getvalue
// Semaphores count, order what comes before a post before what comes after the wait, and say what went wrong.
#include <limits.h>
#include <semaphore.h>
#include <time.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

// Its value is from before the first run, and goes on from run to run.
struct Permit {
  Permit() { sem_init(&semaphore, 0, 1); }
  sem_t semaphore;
} permit;

timespec in_an_hour(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_sec += 3600;
  return time;
}

int value_of(sem_t& semaphore) {
  int value = -1;
  assert(sem_getvalue(&semaphore, &value) == 0);
  return value;
}

void check_errors() {
  sem_t semaphore;
  assert(sem_init(&semaphore, 0, static_cast<unsigned>(SEM_VALUE_MAX) + 1) == -1 && errno == EINVAL);
  assert(sem_init(&semaphore, 0, SEM_VALUE_MAX) == 0);
  assert(sem_post(&semaphore) == -1 && errno == EOVERFLOW);
  assert(value_of(semaphore) == SEM_VALUE_MAX);
  sem_destroy(&semaphore);

  assert(sem_init(&semaphore, 1, 0) == 0);
  assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  const timespec bad{0, 1'000'000'000};
  assert(sem_timedwait(&semaphore, &bad) == -1 && errno == EINVAL);
  assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &bad) == -1 && errno == EINVAL);
  const timespec later = in_an_hour(CLOCK_REALTIME);
  assert(sem_clockwait(&semaphore, CLOCK_PROCESS_CPUTIME_ID, &later) == -1 && errno == EINVAL);
  assert(sem_timedwait(&semaphore, &later) == -1 && errno == ETIMEDOUT);
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  assert(now.tv_sec >= later.tv_sec);
  const timespec past{1, 0};
  assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &past) == -1 && errno == ETIMEDOUT);
  assert(sem_post(&semaphore) == 0);
  assert(sem_timedwait(&semaphore, &past) == 0);  // it need not wait
  assert(value_of(semaphore) == 0);
  assert(sem_destroy(&semaphore) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  sem_t items;
  sem_t rooms;
  assert(sem_init(&items, 0, 0) == 0 && sem_init(&rooms, 0, 2) == 0);
  int slots[2] = {};
  int under_permit = 0;
  std::thread producer([&] {
    for (int i = 0; i < 4; ++i) {
      assert(sem_wait(&rooms) == 0);
      slots[i % 2] = i + 1;
      assert(sem_post(&items) == 0);
    }
    assert(sem_wait(&permit.semaphore) == 0);
    ++under_permit;
    assert(sem_trywait(&permit.semaphore) == -1 && errno == EAGAIN);
    assert(sem_post(&permit.semaphore) == 0);
  });
  std::thread consumer([&] {
    for (int i = 0; i < 4; ++i) {
      const timespec later = in_an_hour(i % 2 == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
      while ((i % 2 == 0 ? sem_timedwait(&items, &later) : sem_clockwait(&items, CLOCK_MONOTONIC, &later)) != 0) {
        assert(errno == ETIMEDOUT);
        sem_wait(&items);
        break;
      }
      assert(slots[i % 2] == i + 1);
      assert(sem_post(&rooms) == 0);
    }
    const timespec later = in_an_hour(CLOCK_REALTIME);
    if (sem_timedwait(&permit.semaphore, &later) == 0) {
      ++under_permit;
      assert(sem_post(&permit.semaphore) == 0);
    }
  });
  const int seen = value_of(rooms);
  assert(seen >= 0 && seen <= 2);
  producer.join();
  consumer.join();
  assert(value_of(items) == 0 && value_of(rooms) == 2 && value_of(permit.semaphore) == 1);
  assert(under_permit == 1 || under_permit == 2);
  sem_destroy(&items);
  sem_destroy(&rooms);
  check_errors();
  return 0;
}
