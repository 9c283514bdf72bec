// Creation, join, detach and exit of threads.
#include <pthread.h>

#include <cerrno>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/loader.h"
#include "instrumentation/runtime/sanitizers.h"

WEAVEFUZZ_DECLARE_REAL(pthread_create)
WEAVEFUZZ_DECLARE_REAL(pthread_join)
WEAVEFUZZ_DECLARE_REAL(pthread_detach)
WEAVEFUZZ_DECLARE_REAL(pthread_exit)

namespace weavefuzz::runtime {

namespace {

// The real call knows nothing of the threads of a run.
void refuse_while_paused(const char* call, pthread_t handle, const void* caller) {
  if (paused_thread() == nullptr || scheduler.find(handle) == nullptr) return;
  end_pause();
  scheduler.refuse(call, "of a thread of the run, between weavefuzz_pause and weavefuzz_resume", caller);
}

}  // namespace

extern "C" int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  refuse_in_loader("pthread_create", WEAVEFUZZ_CALLER());
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_create, handle, attributes, start, argument);
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
  Thread* thread = scheduler.find(handle);
  if (thread == nullptr) scheduler.refuse("pthread_join", "the thread was not started in this run", WEAVEFUZZ_CALLER());
  if (thread == self) return EDEADLK;
  if (thread->detached || thread->joined) return EINVAL;
  thread->joined = true;
  scheduler.reach({.kind = EventKind::kJoin, .address = thread->id.value, .caller = WEAVEFUZZ_CALLER()},
                  {.gate = Gate::kFinished, .target = thread});
  tsan_acquire(&thread->identity->happens_before);
  if (result != nullptr) *result = thread->result;
  return 0;
}

extern "C" int pthread_detach(pthread_t handle) noexcept {
  refuse_while_paused("pthread_detach", handle, WEAVEFUZZ_CALLER());
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_detach, handle);
  Thread* thread = scheduler.find(handle);
  if (thread == nullptr)
    scheduler.refuse("pthread_detach", "the thread was not started in this run", WEAVEFUZZ_CALLER());
  if (thread->detached || thread->joined) return EINVAL;
  scheduler.reach({.kind = EventKind::kDetach, .address = thread->id.value, .caller = WEAVEFUZZ_CALLER()});
  thread->detached = true;
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
  scheduler.end_thread_early(result);
}

}  // namespace weavefuzz::runtime
