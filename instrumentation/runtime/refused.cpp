#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/msg.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "instrumentation/runtime/interpose.h"

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

}  // namespace weavefuzz::runtime
