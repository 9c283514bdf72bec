// EXPECT: pass
// PRIMITIVES: raise, kill, pthread_kill, pthread_sigmask, sigprocmask, sigpending, sigaction, signal
// A handler runs on the thread that its signal was sent to, when that thread does not block it.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

std::atomic<int> total;
thread_local int mine;
thread_local int depth;
thread_local sigjmp_buf back;

void count(int) {
  ++total;
  ++mine;
}

void count_and_tell(int signal, siginfo_t* information, void* context) {
  assert(signal == SIGUSR2 && information->si_signo == SIGUSR2 && information->si_pid == getpid());
  assert(context != nullptr);
  count(signal);
}

void nest(int signal) {
  assert(depth == 0);  // blocked while its handler runs
  ++depth;
  if (mine++ == 0) raise(signal);
  --depth;
}

void jump(int) { siglongjmp(back, 1); }

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  assert(sigaction(signal, &action, nullptr) == 0);
}

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

void raise_at_once() {
  mine = 0;
  assert(raise(SIGUSR1) == 0);
  assert(mine == 1);
  assert(kill(getpid(), SIGUSR1) == 0);
  assert(pthread_kill(pthread_self(), SIGUSR2) == 0);
  assert(mine == 3);
  assert(pthread_kill(pthread_self(), 0) == 0);
  assert(pthread_kill(pthread_self(), 1000) == EINVAL);
  assert(raise(-1) == -1 && errno == EINVAL);
}

void raise_while_blocked() {
  mine = 0;
  const sigset_t set = only(SIGUSR1);
  sigset_t old;
  sigset_t pending;
  assert(pthread_sigmask(SIG_BLOCK, &set, &old) == 0 && sigismember(&old, SIGUSR1) == 0);
  raise(SIGUSR1);
  raise(SIGUSR1);
  assert(mine == 0);
  assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 1);
  assert(pthread_sigmask(SIG_SETMASK, nullptr, &old) == 0 && sigismember(&old, SIGUSR1) == 1);
  assert(sigprocmask(SIG_UNBLOCK, &set, nullptr) == 0);
  assert(mine == 1);
  assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 0);
  assert(pthread_sigmask(1000, &set, nullptr) == EINVAL);
}

void jump_out_of_handlers() {
  volatile int jumps = 0;
  while (jumps < 3) {
    if (sigsetjmp(back, 1) == 0) raise(SIGHUP);
    jumps = jumps + 1;
  }
}

void nest_handlers() {
  mine = 0;
  raise(SIGWINCH);
  assert(mine == 2);
}

// Blocks everything, as threads do that leave signals to others.
void inherit_mask() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  std::thread([] {
    sigset_t inherited;
    pthread_sigmask(SIG_BLOCK, nullptr, &inherited);
    assert(sigismember(&inherited, SIGUSR1) == 1 && sigismember(&inherited, SIGKILL) == 0);
  }).join();
}

void interrupt_others() {
  std::mutex mutex;
  std::condition_variable never;
  bool done = false;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    while (mine == 0) never.wait_for(lock, std::chrono::hours(1));
    done = true;
  });
  std::thread spinner([] {
    while (mine == 0) sched_yield();
  });
  std::thread sleeper([] {
    while (mine == 0) {
      timespec left{};
      const timespec long_time{3600, 0};
      if (nanosleep(&long_time, &left) == 0) continue;
      assert(errno == EINTR && left.tv_sec <= 3600);
      assert(mine == 1);
    }
  });
  for (std::thread* thread : {&waiter, &spinner, &sleeper}) assert(pthread_kill(thread->native_handle(), SIGUSR1) == 0);
  for (std::thread* thread : {&waiter, &spinner, &sleeper}) thread->join();
  assert(done);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) {
  total = 0;
  signal(SIGUSR1, count);
  assert(signal(SIGUSR1, count) == count);
  struct sigaction action{};
  action.sa_sigaction = count_and_tell;
  action.sa_flags = SA_SIGINFO;
  assert(sigaction(SIGUSR2, &action, nullptr) == 0);
  struct sigaction old{};
  assert(sigaction(SIGUSR2, nullptr, &old) == 0 && old.sa_sigaction == count_and_tell);
  set_handler(SIGHUP, jump);
  set_handler(SIGWINCH, nest);
  signal(SIGURG, SIG_IGN);
  raise(SIGURG);
  signal(SIGURG, SIG_DFL);
  raise(SIGURG);

  const auto all = [] {
    raise_at_once();
    raise_while_blocked();
    jump_out_of_handlers();
    nest_handlers();
    inherit_mask();
  };
  std::thread first(all);
  std::thread second(all);
  raise_at_once();
  first.join();
  second.join();
  assert(total == 3 * 3 + 2);
  interrupt_others();
  return 0;
}
