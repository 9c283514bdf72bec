// System calls by number. What would block, or tell threads of the run apart, is handed to the model; everything else
// goes to the kernel.
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <type_traits>
#include <utility>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/system.h"

namespace weavefuzz::runtime {

namespace {

using Arguments = long[6];

template <class Parameter>
Parameter from_word(long word) {
  if constexpr (std::is_pointer_v<Parameter>) {
    return reinterpret_cast<Parameter>(word);
  } else {
    return static_cast<Parameter>(word);
  }
}

template <class Result, class... Parameters>
long call(Result (*function)(Parameters...), const Arguments& arguments) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return static_cast<long>(function(from_word<Parameters>(arguments[i])...));
  }(std::index_sequence_for<Parameters...>{});
}

// The function of the same name, which is interposed.
template <auto function>
long same_function(const Arguments& arguments) {
  return call(function, arguments);
}

struct Row {
  long number;
  const char* name;
  long (*carry_out)(const Arguments&);  // sets errno; nullptr: refused
};

#define WEAVEFUZZ_SAME_FUNCTION(name) \
  Row { SYS_##name, #name, same_function<&::name> }
#define WEAVEFUZZ_REFUSED_CALL(number, name) \
  Row { number, name, nullptr }
constexpr Row kRows[] = {
    WEAVEFUZZ_SAME_FUNCTION(gettid),
    WEAVEFUZZ_SAME_FUNCTION(tgkill),
    WEAVEFUZZ_SAME_FUNCTION(sched_yield),
    WEAVEFUZZ_SAME_FUNCTION(clock_gettime),
    WEAVEFUZZ_SAME_FUNCTION(clock_getres),
    WEAVEFUZZ_SAME_FUNCTION(gettimeofday),
    WEAVEFUZZ_SAME_FUNCTION(nanosleep),
    WEAVEFUZZ_SAME_FUNCTION(read),
    WEAVEFUZZ_SAME_FUNCTION(readv),
    WEAVEFUZZ_SAME_FUNCTION(epoll_pwait),
    WEAVEFUZZ_SAME_FUNCTION(accept),
    WEAVEFUZZ_SAME_FUNCTION(accept4),
    WEAVEFUZZ_SAME_FUNCTION(recvfrom),
    WEAVEFUZZ_SAME_FUNCTION(recvmsg),
    WEAVEFUZZ_SAME_FUNCTION(connect),
    WEAVEFUZZ_SAME_FUNCTION(waitid),
#ifdef SYS_time  // older calls, which newer machines do without
    WEAVEFUZZ_SAME_FUNCTION(time),
    WEAVEFUZZ_SAME_FUNCTION(poll),
    WEAVEFUZZ_SAME_FUNCTION(select),
    WEAVEFUZZ_SAME_FUNCTION(epoll_wait),
    WEAVEFUZZ_SAME_FUNCTION(pause),
    WEAVEFUZZ_REFUSED_CALL(SYS_fork, "fork"),
    WEAVEFUZZ_REFUSED_CALL(SYS_vfork, "vfork"),
#endif
    WEAVEFUZZ_REFUSED_CALL(SYS_tkill, "tkill"),
    WEAVEFUZZ_REFUSED_CALL(SYS_clone, "clone"),
    WEAVEFUZZ_REFUSED_CALL(435, "clone3"),
    WEAVEFUZZ_REFUSED_CALL(449, "futex_waitv"),
    WEAVEFUZZ_REFUSED_CALL(454, "futex_wake"),
    WEAVEFUZZ_REFUSED_CALL(455, "futex_wait"),
    WEAVEFUZZ_REFUSED_CALL(456, "futex_requeue"),
    // Their arguments are not those of the functions.
    WEAVEFUZZ_REFUSED_CALL(SYS_ppoll, "ppoll"),
    WEAVEFUZZ_REFUSED_CALL(SYS_pselect6, "pselect6"),
};
#undef WEAVEFUZZ_SAME_FUNCTION
#undef WEAVEFUZZ_REFUSED_CALL

long as_function_returns(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace

extern "C" long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  Arguments arguments;
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (self != nullptr) {
    if (number == SYS_futex) return as_function_returns(futex(arguments, WEAVEFUZZ_CALLER()));
    if (number == SYS_clock_nanosleep)
      return as_function_returns(-call(&clock_nanosleep, arguments));  // this function returns the error
    for (const Row& row : kRows) {
      if (row.number != number) continue;
      if (row.carry_out != nullptr) return row.carry_out(arguments);
      scheduler.refuse(row.name, "not supported as a raw system call", WEAVEFUZZ_CALLER());
    }
  }
  return as_function_returns(
      system_call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]));
}

}  // namespace weavefuzz::runtime
