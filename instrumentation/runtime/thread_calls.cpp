// Creation, join, detach and exit of threads.
#include <pthread.h>

#include <cerrno>
#include <cstdlib>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/loader.h"
#include "instrumentation/runtime/sanitizers.h"

WEAVEFUZZ_DECLARE_REAL(pthread_create)
WEAVEFUZZ_DECLARE_REAL(pthread_join)
WEAVEFUZZ_DECLARE_REAL(pthread_tryjoin_np)
WEAVEFUZZ_DECLARE_REAL(pthread_timedjoin_np)
WEAVEFUZZ_DECLARE_REAL(pthread_clockjoin_np)
WEAVEFUZZ_DECLARE_REAL(pthread_detach)
WEAVEFUZZ_DECLARE_REAL(pthread_exit)
WEAVEFUZZ_DECLARE_REAL(pthread_cancel)

namespace weavefuzz::runtime {

namespace {

Thread& thread_of(pthread_t handle, const char* call, const void* caller) {
  Thread* thread = scheduler.find(handle);
  if (thread == nullptr) scheduler.refuse(call, "the thread was not started in this run", caller);
  return *thread;
}

int take_result(Thread& thread, void** result) {
  thread.joined = true;
  tsan_acquire(&thread.identity->happens_before);
  if (result != nullptr) *result = thread.result;
  return 0;
}

int join(pthread_t handle, void** result, std::uint64_t deadline, const char* call, const void* caller) {
  Thread& thread = thread_of(handle, call, caller);
  if (&thread == self) return EDEADLK;
  if (thread.detached || thread.joined) return EINVAL;
  thread.joined = true;
  if (scheduler.reach({.kind = EventKind::kJoin, .address = thread.id.value, .caller = caller},
                      {.gate = Gate::kFinished, .target = &thread, .deadline = deadline}) == Readiness::kTimeout) {
    thread.joined = false;
    return ETIMEDOUT;
  }
  return take_result(thread, result);
}

// Without a deadline it waits as long as it takes.
int join_until(pthread_t handle, void** result, clockid_t clock, const timespec* deadline, const char* call,
               const void* caller) {
  if (deadline == nullptr) return join(handle, result, kNever, call, caller);
  if (!is_valid_fraction(*deadline) || !can_wait_on(clock)) return EINVAL;
  return join(handle, result, virtual_deadline(clock, *deadline), call, caller);
}

std::uint32_t outsider_count = 0;
__thread bool starts_for_fuzzer = false;

// A thread of the program that is not under control.
struct Outsider {
  void* (*start)(void*);
  void* argument;
};

void* run_outsider(void* memory) {
  const Outsider outsider = *static_cast<Outsider*>(memory);
  std::free(memory);
  struct Counted {
    ~Counted() { __atomic_fetch_sub(&outsider_count, 1U, __ATOMIC_SEQ_CST); }
  } counted;  // pthread_exit unwinds it
  return outsider.start(outsider.argument);
}

int create_outsider(pthread_t* handle, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  auto* outsider = static_cast<Outsider*>(std::malloc(sizeof(Outsider)));
  if (outsider == nullptr) return EAGAIN;
  *outsider = {start, argument};
  __atomic_fetch_add(&outsider_count, 1U, __ATOMIC_SEQ_CST);
  const int error = WEAVEFUZZ_REAL(pthread_create)(handle, attributes, run_outsider, outsider);
  if (error == 0) return 0;
  __atomic_fetch_sub(&outsider_count, 1U, __ATOMIC_SEQ_CST);
  std::free(outsider);
  return error;
}

// The real call knows nothing of the threads of a run.
void refuse_while_paused(const char* call, pthread_t handle, const void* caller) {
  if (paused_thread() == nullptr || scheduler.find(handle) == nullptr) return;
  end_pause();
  scheduler.refuse(call, "of a thread of the run, between weavefuzz_pause and weavefuzz_resume", caller);
}

}  // namespace

std::uint32_t outsiders() { return __atomic_load_n(&outsider_count, __ATOMIC_SEQ_CST); }

void expect_threads_of_fuzzer() { starts_for_fuzzer = true; }

extern "C" int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  refuse_in_loader("pthread_create", WEAVEFUZZ_CALLER());
  if (self == nullptr) {
    return starts_for_fuzzer ? WEAVEFUZZ_REAL(pthread_create)(handle, attributes, start, argument)
                             : create_outsider(handle, attributes, start, argument);
  }
  std::size_t stack_size = 0;
  int detach_state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) {
    void* stack = nullptr;
    pthread_attr_getdetachstate(attributes, &detach_state);
    pthread_attr_getstack(attributes, &stack, &stack_size);
    // Without a stack of its own, the attribute's ends at address 0.
    if (reinterpret_cast<std::uintptr_t>(stack) + stack_size != 0)
      scheduler.refuse("pthread_create", "threads on a stack that the program provides are not supported",
                       WEAVEFUZZ_CALLER());
  }
  const Thread* thread =
      scheduler.spawn(start, argument, stack_size, detach_state == PTHREAD_CREATE_DETACHED, WEAVEFUZZ_CALLER());
  if (thread == nullptr) return EAGAIN;
  *handle = thread->identity->handle;
  return 0;
}

extern "C" int pthread_join(pthread_t handle, void** result) {
  refuse_while_paused("pthread_join", handle, WEAVEFUZZ_CALLER());
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_join, handle, result);
  return join(handle, result, kNever, "pthread_join", WEAVEFUZZ_CALLER());
}

extern "C" int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_tryjoin_np, handle, result);
  Thread& thread = thread_of(handle, "pthread_tryjoin_np", WEAVEFUZZ_CALLER());
  scheduler.reach({.kind = EventKind::kJoin, .address = thread.id.value, .caller = WEAVEFUZZ_CALLER()});
  if (!thread.finished) return scheduler.futile(EBUSY);
  if (thread.detached || thread.joined) return EINVAL;
  return take_result(thread, result);
}

extern "C" int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* deadline) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_timedjoin_np, handle, result, deadline);
  return join_until(handle, result, CLOCK_REALTIME, deadline, "pthread_timedjoin_np", WEAVEFUZZ_CALLER());
}

extern "C" int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* deadline) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_clockjoin_np, handle, result, clock, deadline);
  return join_until(handle, result, clock, deadline, "pthread_clockjoin_np", WEAVEFUZZ_CALLER());
}

extern "C" int pthread_detach(pthread_t handle) noexcept {
  refuse_while_paused("pthread_detach", handle, WEAVEFUZZ_CALLER());
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_detach, handle);
  Thread& thread = thread_of(handle, "pthread_detach", WEAVEFUZZ_CALLER());
  if (thread.detached || thread.joined) return EINVAL;
  scheduler.reach({.kind = EventKind::kDetach, .address = thread.id.value, .caller = WEAVEFUZZ_CALLER()});
  thread.detached = true;
  return 0;
}

extern "C" void pthread_exit(void* result) {
  end_pause();
  if (self == nullptr) {
    WEAVEFUZZ_REAL(pthread_exit)(result);
    __builtin_unreachable();
  }
  if (self->id == ThreadId{})
    scheduler.refuse("pthread_exit", "the harness's own thread must return instead", WEAVEFUZZ_CALLER());
  self->result = result;
  scheduler.end_thread_early();
}

extern "C" int pthread_cancel(pthread_t handle) {
  if (self != nullptr)
    scheduler.refuse("pthread_cancel",
                     "cancellation is not supported; let the thread look at a flag, such as a std::stop_token, and end",
                     WEAVEFUZZ_CALLER());
  return WEAVEFUZZ_REAL(pthread_cancel)(handle);
}

}  // namespace weavefuzz::runtime
