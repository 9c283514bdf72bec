#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/msg.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <cerrno>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/system.h"

#define WEAVEFUZZ_REFUSED(result, name, parameters, arguments) WEAVEFUZZ_DECLARE_REAL(name)
#include "instrumentation/runtime/refused.def"
#undef WEAVEFUZZ_REFUSED

namespace weavefuzz::runtime {

#define WEAVEFUZZ_REFUSED(result, name, parameters, arguments)                             \
  extern "C" result name parameters {                                                      \
    if (self != nullptr) scheduler.refuse(#name, "not supported yet", WEAVEFUZZ_CALLER()); \
    return WEAVEFUZZ_REAL(name) arguments;                                                 \
  }
#include "instrumentation/runtime/refused.def"
#undef WEAVEFUZZ_REFUSED

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
  const long result =
      system_call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace weavefuzz::runtime
