// EXPECT: pass
// PRIMITIVES: gettid, pthread_setname_np, prctl, pthread_setaffinity_np, sched_getcpu, pthread_setschedparam
// Each thread has a number, a name, a CPU, a priority and a stack of its own, and others see them.
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace {

std::mutex mutex;
std::set<pid_t> numbers;

void check_number() {
  const pid_t number = gettid();
  assert(number == syscall(SYS_gettid));
  const std::lock_guard lock(mutex);
  assert(numbers.insert(number).second);
}

void check_name(const std::string& name) {
  char found[16];
  assert(pthread_setname_np(pthread_self(), name.c_str()) == 0);
  sched_yield();
  assert(pthread_getname_np(pthread_self(), found, sizeof found) == 0 && name == found);
  assert(prctl(PR_GET_NAME, found) == 0 && name == found);
  assert(prctl(PR_SET_NAME, "a name that is too long") == 0);
  assert(pthread_getname_np(pthread_self(), found, sizeof found) == 0 && std::string("a name that is ") == found);
  assert(pthread_setname_np(pthread_self(), "a name that is too long") == ERANGE);
  assert(pthread_getname_np(pthread_self(), found, 3) == ERANGE);
}

void check_affinity() {
  cpu_set_t all;
  assert(sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &all)) --last;
  cpu_set_t one;
  CPU_ZERO(&one);
  assert(pthread_setaffinity_np(pthread_self(), sizeof one, &one) == EINVAL);
  assert(sched_setaffinity(0, sizeof one, &one) == -1 && errno == EINVAL);
  CPU_SET(last, &one);
  assert(pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0);
  sched_yield();
  cpu_set_t found;
  assert(pthread_getaffinity_np(pthread_self(), sizeof found, &found) == 0 && CPU_EQUAL(&one, &found));
  assert(sched_getcpu() == last);
  assert(sched_setaffinity(gettid(), sizeof all, &all) == 0);
  assert(sched_getaffinity(gettid(), sizeof found, &found) == 0 && CPU_EQUAL(&all, &found));
}

void check_priority() {
  int policy = -1;
  sched_param parameters{};
  assert(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0);
  assert(policy == SCHED_OTHER && parameters.sched_priority == 0);
  parameters.sched_priority = 5;
  assert(pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameters) == EINVAL);
  assert(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0);
  assert(pthread_setschedprio(pthread_self(), 7) == 0);
  sched_yield();
  assert(sched_getscheduler(0) == SCHED_FIFO && sched_getparam(0, &parameters) == 0 && parameters.sched_priority == 7);
}

void check_stack() {
  pthread_attr_t attributes;
  void* stack = nullptr;
  std::size_t size = 0;
  assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
  assert(pthread_attr_getstack(&attributes, &stack, &size) == 0);
  assert(pthread_attr_destroy(&attributes) == 0);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  assert(here - reinterpret_cast<std::uintptr_t>(stack) < size);
  clockid_t clock;
  timespec time;
  assert(pthread_getcpuclockid(pthread_self(), &clock) == 0 && clock_gettime(clock, &time) == 0);
}

void check_all(const std::string& name) {
  check_number();
  check_name(name);
  check_affinity();
  check_priority();
  check_stack();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) {
  numbers.clear();
  assert(gettid() == getpid());
  std::thread first(check_all, "first");
  std::thread second(check_all, "second");
  char name[16];
  assert(pthread_getname_np(second.native_handle(), name, sizeof name) == 0);
  check_all("main");
  first.join();
  second.join();
  return 0;
}
