#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/system.h"

#define WEAVEFUZZ_REFUSED(result, name, parameters, arguments) WEAVEFUZZ_DECLARE_REAL(name)
#include "instrumentation/runtime/refused.def"
#undef WEAVEFUZZ_REFUSED
WEAVEFUZZ_DECLARE_REAL(read)

namespace weavefuzz::runtime {

#define WEAVEFUZZ_REFUSED(result, name, parameters, arguments)                             \
  extern "C" result name parameters {                                                      \
    if (self != nullptr) scheduler.refuse(#name, "not supported yet", WEAVEFUZZ_CALLER()); \
    return WEAVEFUZZ_REAL(name) arguments;                                                 \
  }
#include "instrumentation/runtime/refused.def"
#undef WEAVEFUZZ_REFUSED

// Files never block; a pipe or socket with nothing in it would stop every thread.
extern "C" ssize_t read(int descriptor, void* buffer, size_t size) {
  if (self != nullptr) {
    pollfd state{descriptor, POLLIN, 0};
    const timespec at_once{};
    if (system_call(SYS_ppoll, reinterpret_cast<long>(&state), 1, reinterpret_cast<long>(&at_once)) == 0)
      scheduler.refuse("read", "a read that has to wait for another thread is not supported yet", WEAVEFUZZ_CALLER());
  }
  return WEAVEFUZZ_REAL(read)(descriptor, buffer, size);
}

// std::future, latch, barrier, counting_semaphore and atomic::wait come this way.
extern "C" long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (self != nullptr && number == SYS_futex)
    scheduler.refuse("futex", "not supported yet (std::future, std::latch, std::atomic::wait and others use it)",
                     WEAVEFUZZ_CALLER());
  if (self != nullptr && number == SYS_gettid) return gettid();
  const long result =
      system_call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace weavefuzz::runtime
