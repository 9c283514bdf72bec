// Masks, handlers and sending of signals. All threads of a run may be on one OS thread, so masks are kept here and
// never told to the kernel, and a signal that one thread of the run sends to another, or to itself, is a call of the
// program's handler: on the thread that it was sent to, where that thread would next be scheduled.
//
// A signal from outside runs the program's handler at whatever place it strikes. That is not scheduled, nor can it be
// repeated.
#include "instrumentation/runtime/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/system.h"

WEAVEFUZZ_DECLARE_REAL(pthread_sigmask)
WEAVEFUZZ_DECLARE_REAL(sigprocmask)
WEAVEFUZZ_DECLARE_REAL(sigpending)
WEAVEFUZZ_DECLARE_REAL(sigaction)
WEAVEFUZZ_DECLARE_REAL(signal)
WEAVEFUZZ_DECLARE_REAL(raise)
WEAVEFUZZ_DECLARE_REAL(kill)
WEAVEFUZZ_DECLARE_REAL(pthread_kill)
WEAVEFUZZ_DECLARE_REAL(tgkill)

namespace weavefuzz::runtime {

std::uint64_t pending_for_anyone = 0;

namespace {

constexpr std::uint64_t bits(std::initializer_list<int> signals) {
  std::uint64_t set = 0;
  for (const int signal : signals) set |= signal_bit(signal);
  return set;
}

// What the kernel raises for something that the thread did.
constexpr std::uint64_t kFaults = bits({SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE});
constexpr std::uint64_t kNeverBlocked = bits({SIGKILL, SIGSTOP});
constexpr std::uint64_t kIgnoredByDefault = bits({SIGCHLD, SIGURG, SIGWINCH, SIGCONT});
constexpr std::uint64_t kStops = bits({SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU});

bool is_in(std::uint64_t set, int signal) { return (set & signal_bit(signal)) != 0; }

// A sigset_t begins with what the kernel knows as one.
std::uint64_t to_bits(const sigset_t& set) {
  std::uint64_t bits = 0;
  memcpy(&bits, &set, sizeof bits);
  return bits;
}

void from_bits(sigset_t& set, std::uint64_t bits) {
  memset(&set, 0, sizeof set);
  memcpy(&set, &bits, sizeof bits);
}

// The program's own handlers, of signals that are no faults. Where it has none, the engine may.
struct sigaction actions[NSIG];
std::uint64_t has_action = 0;
std::uint64_t mask_of_process = 0;

// The handlers that run on each thread, the innermost last.
constexpr std::uint32_t kMostHandlers = 8;
struct Running {
  const char* frame;
  std::uint64_t blocked_before;
};
Running running[kMaxThreads][kMostHandlers];

bool has_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void call(const struct sigaction& action, int signal, siginfo_t* information, void* context) {
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, information, context);
  } else {
    action.sa_handler(signal);
  }
}

// What the kernel calls in place of the program's handler.
void from_outside(int signal, siginfo_t* information, void* context) {
  const Unscheduled guard;
  const struct sigaction action = actions[signal];
  if ((action.sa_flags & SA_RESETHAND) != 0) actions[signal].sa_handler = SIG_DFL;
  if (has_handler(action)) call(action, signal, information, context);
}

// The kernel's part of `action`. Signals that the engine handles for itself stay with it.
int install(int signal, const struct sigaction& action, bool is_engines) {
  if (is_engines) return 0;
  struct sigaction installed = action;
  if (has_handler(action)) {
    installed.sa_sigaction = from_outside;
    installed.sa_flags |= SA_SIGINFO;
  }
  return WEAVEFUZZ_REAL(sigaction)(signal, &installed, nullptr);
}

bool is_taken_by_engine(int signal) {
  struct sigaction current{};
  WEAVEFUZZ_REAL(sigaction)(signal, nullptr, &current);
  return has_handler(current) && !((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == from_outside);
}

[[noreturn]] void end_by(int signal) {
  static char what[64];
  const char* name = sigabbrev_np(signal);
  snprintf(what, sizeof what, "SIG%s, for which the program has no handler", name == nullptr ? "RT" : name);
  scheduler.finding(Verdict::kSignal, what);
}

void leave_handler(Thread& thread) {
  thread.signals.blocked = running[thread.id.value][--thread.signals.handlers].blocked_before;
}

// Handlers that the thread has left by longjmp no longer block anything. `frame` is that of the caller.
void drop_left_handlers(Thread& thread, const void* frame) {
  while (thread.signals.handlers > 0 && running[thread.id.value][thread.signals.handlers - 1].frame < frame)
    leave_handler(thread);
}

void run_handler(int signal) {
  Signals& signals = self->signals;
  if (is_in(kFaults, signal)) {
    WEAVEFUZZ_REAL(raise)(signal);  // handlers for these are the kernel's to call: a fault would do the same
    return;
  }
  const struct sigaction action = is_in(has_action, signal) ? actions[signal] : (struct sigaction){};
  if (!has_handler(action)) {
    if (action.sa_handler == SIG_IGN || is_in(kIgnoredByDefault, signal)) return;
    if (is_in(kStops, signal)) scheduler.refuse("signal", "stopping the process is not supported");
    end_by(signal);
  }
  if (signals.handlers == kMostHandlers)
    scheduler.refuse("signal handler", "more than eight handlers interrupt each other, which is not supported");
  if ((action.sa_flags & SA_RESETHAND) != 0) actions[signal].sa_handler = SIG_DFL;
  running[self->id.value][signals.handlers++] = {static_cast<const char*>(__builtin_frame_address(0)), signals.blocked};
  signals.blocked |= to_bits(action.sa_mask) & ~kNeverBlocked;
  if ((action.sa_flags & SA_NODEFER) == 0) signals.blocked |= signal_bit(signal);
  struct UntilItReturns {  // or throws
    Thread& thread;
    ~UntilItReturns() { leave_handler(thread); }
  } const until_it_returns{*self};
  siginfo_t information{};
  information.si_signo = signal;
  information.si_code = SI_TKILL;
  information.si_pid = getpid();
  information.si_uid = getuid();
  ucontext_t context{};
  getcontext(&context);
  call(action, signal, &information, &context);
}

int change_mask(int how, const sigset_t* set, sigset_t* old) {
  Signals& signals = self->signals;
  drop_left_handlers(*self, __builtin_frame_address(0));
  const std::uint64_t wanted = set == nullptr ? 0 : to_bits(*set) & ~kNeverBlocked;
  std::uint64_t blocked = signals.blocked;
  if (set != nullptr) {
    switch (how) {
      case SIG_BLOCK: blocked |= wanted; break;
      case SIG_UNBLOCK: blocked &= ~wanted; break;
      case SIG_SETMASK: blocked = wanted; break;
      default: return EINVAL;
    }
  }
  if (old != nullptr) from_bits(*old, signals.blocked);
  signals.blocked = blocked;
  deliver_signals();
  return 0;
}

// By default a fault is the engine's to report.
int set_fault_action(int signal, const struct sigaction* action, struct sigaction* old) {
  static struct sigaction engines[NSIG];
  static std::uint64_t known = 0;
  if (!is_in(known, signal)) WEAVEFUZZ_REAL(sigaction)(signal, nullptr, &engines[signal]);
  known |= signal_bit(signal);
  const bool is_default = action != nullptr && (action->sa_flags & SA_SIGINFO) == 0 && action->sa_handler == SIG_DFL;
  return WEAVEFUZZ_REAL(sigaction)(signal, is_default ? &engines[signal] : action, old);
}

bool is_signal(int signal) { return signal > 0 && signal < NSIG; }

void reach_send(const Thread& target, const void* caller) {
  scheduler.reach({.kind = EventKind::kSendSignal, .address = target.id.value, .caller = caller});
}

int send_to_thread(Thread& target, int signal, const void* caller) {
  if (signal == 0) return 0;
  if (!is_signal(signal)) return EINVAL;
  reach_send(target, caller);
  target.signals.pending |= signal_bit(signal);
  if (&target == self) deliver_signals();
  return 0;
}

}  // namespace

void begin_signals(Signals& of_main) {
  pending_for_anyone = 0;
  of_main.blocked = mask_of_process;
}

void deliver_signals() {
  Signals& signals = self->signals;
  drop_left_handlers(*self, __builtin_frame_address(0));
  while (has_signal(signals)) {
    const std::uint64_t deliverable = (signals.pending | pending_for_anyone) & ~signals.blocked;
    const int signal = __builtin_ctzll(deliverable) + 1;
    std::uint64_t& from = (signals.pending & signal_bit(signal)) != 0 ? signals.pending : pending_for_anyone;
    from &= ~signal_bit(signal);
    run_handler(signal);
  }
}

bool hold_signal_back(int signal) {
  if (self == nullptr || !is_in(self->signals.blocked, signal)) return false;
  self->signals.pending |= signal_bit(signal);
  return true;
}

void note_signal_handlers() {
  sigset_t mask;
  WEAVEFUZZ_REAL(pthread_sigmask)(SIG_SETMASK, nullptr, &mask);
  mask_of_process = to_bits(mask);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    if (is_in(kFaults, signal) || WEAVEFUZZ_REAL(sigaction)(signal, nullptr, &action) != 0 || !has_handler(action))
      continue;
    actions[signal] = action;
    has_action |= signal_bit(signal);
    install(signal, action, false);
  }
}

extern "C" int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_sigmask, how, set, old);
  return change_mask(how, set, old);
}

extern "C" int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sigprocmask, how, set, old);
  const int error = change_mask(how, set, old);
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

extern "C" int sigpending(sigset_t* set) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sigpending, set);
  from_bits(*set, self->signals.pending | pending_for_anyone);
  return 0;
}

extern "C" int sigaction(int signal, const struct sigaction* action, struct sigaction* old) noexcept {
  if (self != nullptr && is_signal(signal) && is_in(kFaults, signal)) return set_fault_action(signal, action, old);
  if (self == nullptr || !is_signal(signal) || is_in(kNeverBlocked, signal))
    return WEAVEFUZZ_REAL(sigaction)(signal, action, old);
  const struct sigaction before = is_in(has_action, signal) ? actions[signal] : (struct sigaction){};
  if (action != nullptr) {
    const struct sigaction wanted = *action;
    if (install(signal, wanted, is_taken_by_engine(signal)) != 0) return -1;
    actions[signal] = wanted;
    has_action |= signal_bit(signal);
  }
  if (old != nullptr) *old = before;
  return 0;
}

extern "C" sighandler_t signal(int number, sighandler_t handler) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(signal, number, handler);
  struct sigaction action{};
  struct sigaction old{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

extern "C" int raise(int signal) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(raise, signal);
  const int error = send_to_thread(*self, signal, WEAVEFUZZ_CALLER());
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

extern "C" int pthread_kill(pthread_t handle, int signal) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_kill, handle, signal);
  Thread* target = scheduler.find(handle);
  if (target == nullptr)
    scheduler.refuse("pthread_kill", "to a thread that was not started in this run is not supported",
                     WEAVEFUZZ_CALLER());
  return send_to_thread(*target, signal, WEAVEFUZZ_CALLER());
}

extern "C" int tgkill(pid_t process, pid_t number, int signal) {
  if (self == nullptr || process != getpid()) return WEAVEFUZZ_REAL(tgkill)(process, number, signal);
  Thread* target = scheduler.find_by_number(number);
  if (target == nullptr)
    scheduler.refuse("tgkill", "to a thread that was not started in this run is not supported", WEAVEFUZZ_CALLER());
  const int error = send_to_thread(*target, signal, WEAVEFUZZ_CALLER());
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

extern "C" int kill(pid_t process, int signal) {
  if (self == nullptr || process != getpid() || !is_signal(signal) || is_in(kNeverBlocked, signal))
    return WEAVEFUZZ_REAL(kill)(process, signal);
  reach_send(*self, WEAVEFUZZ_CALLER());
  pending_for_anyone |= signal_bit(signal);
  deliver_signals();  // the caller is as good as any, if it does not block the signal
  return 0;
}

}  // namespace weavefuzz::runtime
