// The pool of parked threads.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdio>

#include "instrumentation/runtime/keys.h"
#include "instrumentation/runtime/real.h"
#include "instrumentation/runtime/scheduler.h"
#include "instrumentation/runtime/system.h"
#include "instrumentation/runtime/threads.h"

WEAVEFUZZ_DECLARE_REAL(pthread_create)
WEAVEFUZZ_DECLARE_REAL(pthread_setname_np)

namespace weavefuzz::runtime {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kRoomForParkedFrame = 2 * kPage;  // the OS backend calls from it

Identity pool[kMaxThreads];
std::size_t pool_begin = 0;  // below: abandoned
std::size_t pool_size = 0;
Identity* unused = nullptr;  // in the order of the pool

// A logical thread's first frame starts on a page boundary, so that what shares an address with what
// does not depend on where the kernel put the stack.
char* page_below(char* address, std::size_t room) {
  return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(address) - room) & ~(kPage - 1));
}

void* park(void* argument) {
  Identity& me = *static_cast<Identity*>(argument);
  me.thread_pointer = __builtin_thread_pointer();
  me.self = &self;
  me.stack_base = page_below(static_cast<char*>(__builtin_frame_address(0)), kRoomForParkedFrame);
  me.handle = pthread_self();
  me.parked_number = kernel_thread_id();
  me.own_keys = keys_in_use();
  // The n-th thread of a run gets the n-th identity, so that sanitizers and debuggers may call it that.
  char name[16];
  std::snprintf(name, sizeof name, "thread %zu", static_cast<std::size_t>(&me - pool) - pool_begin + 1);
  WEAVEFUZZ_REAL(pthread_setname_np)(me.handle, name);
  set_and_wake(me.parked);
  for (;;) {
    wait_until_set(me.baton);
    __atomic_store_n(&me.baton, 0U, __ATOMIC_RELAXED);
    weavefuzz_logical_thread(me.thread);
  }
}

// Only what the thread itself does may interrupt an identity: the rest is for the fuzzer's own thread.
class AsyncSignalsBlocked {
 public:
  AsyncSignalsBlocked() {
    std::uint64_t blocked = ~std::uint64_t{0};
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE})
      blocked &= ~(std::uint64_t{1} << (fault - 1));
    change(&blocked, &saved_);
  }
  ~AsyncSignalsBlocked() { change(&saved_, nullptr); }
  AsyncSignalsBlocked(const AsyncSignalsBlocked&) = delete;
  AsyncSignalsBlocked& operator=(const AsyncSignalsBlocked&) = delete;

 private:
  static void change(const std::uint64_t* set, std::uint64_t* old) {
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(set), reinterpret_cast<long>(old), sizeof *set);
  }
  std::uint64_t saved_ = 0;
};

std::size_t default_stack_size() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::size_t{8} << 20;
  return limit.rlim_cur;
}

Identity* make_identity(std::size_t stack_size) {
  if (pool_size == kMaxThreads) return nullptr;
  Identity& identity = pool[pool_size];
  const std::size_t usable = default_stack_size();
  identity.stack_size = stack_size > usable ? stack_size : usable;
  const AsyncSignalsBlocked blocked;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, identity.stack_size + kRoomForParkedFrame + kPage);
  pthread_t handle;
  const int error = WEAVEFUZZ_REAL(pthread_create)(&handle, &attributes, park, &identity);
  pthread_attr_destroy(&attributes);
  if (error != 0) return nullptr;
  ++pool_size;
  wait_until_set(identity.parked);
  return &identity;
}

}  // namespace

void adopt_calling_thread(Identity& identity) {
  // The kernel lets a stack grow to so many bytes below the end of its mapping, wherever the first frame is.
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (std::FILE* maps = std::fopen("/proc/self/maps", "re")) {
    char line[512];
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    while (std::fgets(line, sizeof line, maps) != nullptr)
      if (std::sscanf(line, "%lx-%lx", &begin, &end) == 2 && begin <= here && here < end)
        identity.stack_base = reinterpret_cast<char*>(end);
    std::fclose(maps);
  }
  identity.thread_pointer = __builtin_thread_pointer();
  identity.self = &self;
  identity.handle = pthread_self();
}

Identity* take_identity(std::size_t stack_size) {
  for (Identity** link = &unused; *link != nullptr; link = &(*link)->next) {
    Identity* identity = *link;
    if (identity->stack_size < stack_size) continue;
    *link = identity->next;
    return identity;
  }
  const Unscheduled guard;
  return make_identity(stack_size);
}

void release_all_identities() {
  unused = nullptr;
  for (std::size_t i = pool_size; i-- > pool_begin;) {
    pool[i].next = unused;
    unused = &pool[i];
  }
}

void abandon_identities() { pool_begin = pool_size; }

}  // namespace weavefuzz::runtime
