// pthread_cleanup_push in C code that was compiled without -fexceptions: a list of jump buffers, which pthread_exit
// visits on its way up the stack. In C++, and with -fexceptions, the handlers are ordinary cleanups of their frames.
#include <pthread.h>
#include <setjmp.h>

#include "instrumentation/runtime/interpose.h"

// What the macros in <pthread.h> expand to; C++ does not see the declarations.
extern "C" {
void __pthread_register_cancel(__pthread_unwind_buf_t* buffer);
void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer);
void __pthread_register_cancel_defer(__pthread_unwind_buf_t* buffer);
void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t* buffer);
[[noreturn]] void __pthread_unwind_next(__pthread_unwind_buf_t* buffer);
}
WEAVEFUZZ_DECLARE_REAL(__pthread_register_cancel)
WEAVEFUZZ_DECLARE_REAL(__pthread_unregister_cancel)
WEAVEFUZZ_DECLARE_REAL(__pthread_register_cancel_defer)
WEAVEFUZZ_DECLARE_REAL(__pthread_unregister_cancel_restore)
WEAVEFUZZ_DECLARE_REAL(__pthread_unwind_next)
WEAVEFUZZ_DECLARE_REAL(longjmp)

namespace weavefuzz::runtime {

namespace {

void push(__pthread_unwind_buf_t* buffer) {
  buffer->__pad[0] = self->cleanups;
  self->cleanups = buffer;
}

void pop(__pthread_unwind_buf_t* buffer) { self->cleanups = static_cast<__pthread_unwind_buf_t*>(buffer->__pad[0]); }

}  // namespace

void jump_to_cleanup(Thread& thread) {
  static_assert(sizeof(__jmp_buf) + sizeof(int) <= sizeof(__cancel_jmp_buf_tag));
  // A jump that TSan sees: it leaves the frames in between.
  WEAVEFUZZ_REAL(longjmp)(reinterpret_cast<__jmp_buf_tag*>(thread.cleanups->__cancel_jmp_buf), 1);
  __builtin_unreachable();
}

extern "C" void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(__pthread_register_cancel, buffer);
  push(buffer);
}

extern "C" void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(__pthread_unregister_cancel, buffer);
  pop(buffer);
}

// Threads under control are never cancelled, so there is nothing to defer.
extern "C" void __pthread_register_cancel_defer(__pthread_unwind_buf_t* buffer) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(__pthread_register_cancel_defer, buffer);
  push(buffer);
}

extern "C" void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t* buffer) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(__pthread_unregister_cancel_restore, buffer);
  pop(buffer);
}

extern "C" void __pthread_unwind_next(__pthread_unwind_buf_t* buffer) {
  if (self == nullptr) {
    WEAVEFUZZ_REAL(__pthread_unwind_next)(buffer);
    __builtin_unreachable();
  }
  pop(buffer);
  scheduler.end_thread_early();
}

}  // namespace weavefuzz::runtime
