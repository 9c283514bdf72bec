// Waiting for one of several descriptors: poll, select, epoll.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "instrumentation/runtime/descriptors.h"
#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/sanitizers.h"
#include "instrumentation/runtime/system.h"

extern "C" {
// With _FORTIFY_SOURCE.
int __poll_chk(pollfd* descriptors, nfds_t count, int timeout, size_t room);
int __ppoll_chk(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t room);
[[noreturn]] void __chk_fail();
}

WEAVEFUZZ_DECLARE_REAL(poll)
WEAVEFUZZ_DECLARE_REAL(ppoll)
WEAVEFUZZ_DECLARE_REAL(select)
WEAVEFUZZ_DECLARE_REAL(pselect)
WEAVEFUZZ_DECLARE_REAL(epoll_create)
WEAVEFUZZ_DECLARE_REAL(epoll_create1)
WEAVEFUZZ_DECLARE_REAL(epoll_ctl)
WEAVEFUZZ_DECLARE_REAL(epoll_wait)
WEAVEFUZZ_DECLARE_REAL(epoll_pwait)
WEAVEFUZZ_DECLARE_REAL(epoll_pwait2)

namespace weavefuzz::runtime {

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr timespec kAtOnce{};

// How long a call may wait.
struct Limit {
  bool at_once = false;
  std::uint64_t deadline = kNever;
};

Limit limit_of(int milliseconds) {
  if (milliseconds < 0) return {};
  return {milliseconds == 0, scheduler.now() + static_cast<std::uint64_t>(milliseconds) * kMillisecond};
}

Limit limit_of(const timespec* time) {
  if (time == nullptr) return {};
  const std::uint64_t nanoseconds =
      static_cast<std::uint64_t>(time->tv_sec) * kSecond + static_cast<std::uint64_t>(time->tv_nsec);
  return {nanoseconds == 0, scheduler.now() + nanoseconds};
}

// What such a wait needs to know of each descriptor in it.
class ManyWait : public Wait {
 public:
  using Wait::Wait;
  // The object of the event: that of the first descriptor that is ready, else of the first of all.
  std::uintptr_t object() const { return ready_ != 0 ? ready_ : first_; }

 protected:
  ~ManyWait() = default;
  void add(int descriptor) {
    const File file = file_of(descriptor);
    if (first_ == 0) first_ = file.name();
    if (file.channel == nullptr) {
      outside_ = outside_ || file.may_wait;
      return;
    }
    outside_ = outside_ || file.channel->takes_outside;
    timer_ = earlier(timer_, next_timer_of(*file.channel));
  }
  virtual void add_all() = 0;
  void found_ready(int descriptor) {
    if (ready_ == 0) ready_ = file_of(descriptor).name();
  }

 private:
  std::uint64_t next_timer() override {
    timer_ = kNever;
    if (timers_are_set()) add_all();
    return timer_;
  }
  bool waits_for_outside() override { return outside_; }

  std::uintptr_t first_ = 0;
  std::uintptr_t ready_ = 0;
  std::uint64_t timer_ = kNever;
  bool outside_ = false;
};

class PollWait final : public ManyWait {
 public:
  PollWait(const char* call, const void* caller, pollfd* descriptors, nfds_t count)
      : ManyWait(call, caller), descriptors_(descriptors), count_(count) {
    PollWait::add_all();
  }

 private:
  void add_all() override {
    for (nfds_t i = 0; i < count_; ++i)
      if (descriptors_[i].fd >= 0) add(descriptors_[i].fd);
  }

  bool ask() override {
    const long found = system_call(SYS_ppoll, reinterpret_cast<long>(descriptors_), static_cast<long>(count_),
                                   reinterpret_cast<long>(&kAtOnce));
    for (nfds_t i = 0; found > 0 && i < count_; ++i)
      if (descriptors_[i].revents != 0) found_ready(descriptors_[i].fd);
    return found != 0;
  }

  pollfd* descriptors_;
  nfds_t count_;
};

class SelectWait final : public ManyWait {
 public:
  SelectWait(const char* call, const void* caller, int count, const fd_set* read, const fd_set* write,
             const fd_set* except)
      : ManyWait(call, caller), count_(count), wanted_{read, write, except} {
    SelectWait::add_all();
  }

 private:
  void add_all() override {
    for (int i = 0; i < count_; ++i)
      if (std::any_of(std::begin(wanted_), std::end(wanted_),
                      [&](const fd_set* set) { return set != nullptr && FD_ISSET(i, set); }))
        add(i);
  }

  bool ask() override {
    fd_set found[3];
    fd_set* sets[3] = {};
    for (int i = 0; i < 3; ++i) {
      if (wanted_[i] == nullptr) continue;
      found[i] = *wanted_[i];
      sets[i] = &found[i];
    }
    const long result =
        system_call(SYS_pselect6, count_, reinterpret_cast<long>(sets[0]), reinterpret_cast<long>(sets[1]),
                    reinterpret_cast<long>(sets[2]), reinterpret_cast<long>(&kAtOnce), 0);
    for (int i = 0; result > 0 && i < count_; ++i)
      for (const fd_set* set : sets)
        if (set != nullptr && FD_ISSET(i, set)) found_ready(i);
    return result != 0;
  }

  int count_;
  const fd_set* wanted_[3];
};

class EpollWait final : public ManyWait {
 public:
  EpollWait(const char* call, const void* caller, int epoll) : ManyWait(call, caller), epoll_(epoll) {
    EpollWait::add_all();
  }

 private:
  void add_all() override { add(epoll_); }
  bool ask() override { return poll_now(epoll_, POLLIN) != 0; }

  int epoll_;
};

// `ask` does so without waiting, and returns how many are ready.
template <class Real>
int wait_for_any(ManyWait& wait, const Limit& limit, const void* caller, Real ask) {
  const auto real = [&] {
    const TsanFrame frame(caller);
    return ask();
  };
  wait.ready();
  const Op op{.kind = EventKind::kPoll, .address = wait.object(), .caller = caller};
  if (limit.at_once) {
    before_unwaiting_call();
    scheduler.reach(op);
    ring_due_timers();
    const int found = real();
    if (found == 0) nothing_to_do();
    return found;
  }
  for (;;) {
    const bool in_time = wait.until_ready(op, limit.deadline);
    const int found = real();
    if (found != 0 || !in_time) return found;
  }
}

int poll_any(const char* call, pollfd* descriptors, nfds_t count, const Limit& limit, const sigset_t* mask,
             const void* caller) {
  PollWait wait(call, caller, descriptors, count);
  const int found = wait_for_any(wait, limit, caller, [&] {
    return mask == nullptr ? WEAVEFUZZ_REAL(poll)(descriptors, count, 0)
                           : WEAVEFUZZ_REAL(ppoll)(descriptors, count, &kAtOnce, mask);
  });
  for (nfds_t i = 0; found > 0 && has_tsan() && i < count; ++i)
    if (descriptors[i].revents != 0) acquire_from(file_of(descriptors[i].fd));
  return found;
}

int select_any(const char* call, int count, fd_set* read, fd_set* write, fd_set* except, const Limit& limit,
               const sigset_t* mask, const void* caller) {
  if (count > FD_SETSIZE) scheduler.refuse(call, "more than FD_SETSIZE descriptors are not supported", caller);
  SelectWait wait(call, caller, count, read, write, except);
  const auto real = [&] {
    const TsanFrame frame(caller);
    const int found = WEAVEFUZZ_REAL(pselect)(count, read, write, except, &kAtOnce, mask);
    for (int i = 0; found > 0 && has_tsan() && i < count; ++i)
      for (const fd_set* set : {read, write, except})
        if (set != nullptr && FD_ISSET(i, set)) acquire_from(file_of(i));
    return found;
  };
  if (limit.at_once) return wait_for_any(wait, limit, caller, real);
  // The real call forgets what was asked for when nothing is ready, so that it must not be asked in vain.
  wait.ready();
  wait.until_ready({.kind = EventKind::kPoll, .address = wait.object(), .caller = caller}, limit.deadline);
  return real();
}

// What epolls watch, so that a wait knows which timers it waits for.
struct Watched {
  const Channel* epoll;
  std::uintptr_t name;  // of the epoll, which is never used again
  int descriptor;
  const Channel* timer;
  std::uintptr_t timer_name;
};
constexpr std::size_t kMaxWatched = 1024;
Watched watched[kMaxWatched];

bool is_current(const Watched& entry) {
  return entry.epoll != nullptr && entry.epoll->used && entry.epoll->name == entry.name && entry.timer->used &&
         entry.timer->name == entry.timer_name;
}

void watch(const Channel& epoll, int descriptor, const Channel& timer) {
  for (Watched& entry : watched)
    if (!is_current(entry)) {
      entry = {&epoll, epoll.name, descriptor, &timer, timer.name};
      return;
    }
  scheduler.refuse("epoll_ctl", "epoll watches more timers than the runtime can hold, which is not supported");
}

void unwatch(const Channel& epoll, int descriptor) {
  for (Watched& entry : watched)
    if (entry.epoll == &epoll && entry.descriptor == descriptor) entry = {};
}

template <class Real>
int epoll_any(const char* call, int epoll, const Limit& limit, const void* caller, Real real) {
  EpollWait wait(call, caller, epoll);
  const int found = wait_for_any(wait, limit, caller, real);
  if (found <= 0) return found;
  acquire_from(file_of(epoll));
  descriptors_changed();  // what is reported once may be reported no more
  return found;
}

}  // namespace

std::uint64_t next_timer_of(const Channel& channel) {
  if (channel.kind == ChannelKind::kTimer) return channel.expires;
  std::uint64_t first = kNever;
  if (channel.kind == ChannelKind::kEpoll && timers_are_set())
    for (const Watched& entry : watched)
      if (entry.epoll == &channel && is_current(entry)) first = earlier(first, entry.timer->expires);
  return first;
}

extern "C" int poll(pollfd* descriptors, nfds_t count, int timeout) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(poll, descriptors, count, timeout);
  return poll_any("poll", descriptors, count, limit_of(timeout), nullptr, WEAVEFUZZ_CALLER());
}

extern "C" int __poll_chk(pollfd* descriptors, nfds_t count, int timeout, size_t room) {
  if (room / sizeof(pollfd) < count) __chk_fail();
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(poll, descriptors, count, timeout);
  return poll_any("poll", descriptors, count, limit_of(timeout), nullptr, WEAVEFUZZ_CALLER());
}

extern "C" int ppoll(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (self == nullptr || (timeout != nullptr && !is_valid(*timeout)))
    return WEAVEFUZZ_REAL(ppoll)(descriptors, count, timeout, mask);
  return poll_any("ppoll", descriptors, count, limit_of(timeout), mask, WEAVEFUZZ_CALLER());
}

extern "C" int __ppoll_chk(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask,
                           size_t room) {
  if (room / sizeof(pollfd) < count) __chk_fail();
  if (self == nullptr || (timeout != nullptr && !is_valid(*timeout)))
    return WEAVEFUZZ_REAL(ppoll)(descriptors, count, timeout, mask);
  return poll_any("ppoll", descriptors, count, limit_of(timeout), mask, WEAVEFUZZ_CALLER());
}

extern "C" int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* timeout) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(select, count, read, write, except, timeout);
  if (timeout == nullptr) return select_any("select", count, read, write, except, {}, nullptr, WEAVEFUZZ_CALLER());
  const timespec time{timeout->tv_sec, timeout->tv_usec * 1000};
  if (!is_valid(time)) return WEAVEFUZZ_REAL(select)(count, read, write, except, timeout);
  const Limit limit = limit_of(&time);
  const int found = select_any("select", count, read, write, except, limit, nullptr, WEAVEFUZZ_CALLER());
  // Linux says how much time is left.
  const std::uint64_t left = limit.deadline > scheduler.now() ? limit.deadline - scheduler.now() : 0;
  *timeout = {static_cast<time_t>(left / kSecond), static_cast<suseconds_t>(left % kSecond / 1000)};
  return found;
}

extern "C" int pselect(int count, fd_set* read, fd_set* write, fd_set* except, const timespec* timeout,
                       const sigset_t* mask) {
  if (self == nullptr || (timeout != nullptr && !is_valid(*timeout)))
    return WEAVEFUZZ_REAL(pselect)(count, read, write, except, timeout, mask);
  return select_any("pselect", count, read, write, except, limit_of(timeout), mask, WEAVEFUZZ_CALLER());
}

extern "C" int epoll_create(int size) noexcept {
  const int result = WEAVEFUZZ_REAL(epoll_create)(size);
  if (result >= 0) make_channel(ChannelKind::kEpoll, result);
  return result;
}

extern "C" int epoll_create1(int flags) noexcept {
  const int result = WEAVEFUZZ_REAL(epoll_create1)(flags);
  if (result >= 0) make_channel(ChannelKind::kEpoll, result);
  return result;
}

extern "C" int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
  if (self != nullptr)
    scheduler.reach({.kind = EventKind::kSend, .address = file_of(epoll).name(), .caller = WEAVEFUZZ_CALLER()});
  if (self != nullptr) release_to(file_of(epoll));
  const int result = WEAVEFUZZ_REAL(epoll_ctl)(epoll, operation, descriptor, event);
  if (self == nullptr || result != 0) return result;
  descriptors_changed();
  const File set = file_of(epoll);
  const File file = file_of(descriptor);
  if (set.channel == nullptr) return result;
  if (operation == EPOLL_CTL_DEL) unwatch(*set.channel, descriptor);
  if (operation == EPOLL_CTL_ADD && file.channel == nullptr) set.channel->takes_outside = true;
  if (operation == EPOLL_CTL_ADD && file.channel != nullptr && file.channel->kind == ChannelKind::kTimer)
    watch(*set.channel, descriptor, *file.channel);
  return result;
}

extern "C" int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
  if (self == nullptr || most <= 0) return WEAVEFUZZ_REAL(epoll_wait)(epoll, events, most, timeout);
  return epoll_any("epoll_wait", epoll, limit_of(timeout), WEAVEFUZZ_CALLER(),
                   [&] { return WEAVEFUZZ_REAL(epoll_wait)(epoll, events, most, 0); });
}

extern "C" int epoll_pwait(int epoll, epoll_event* events, int most, int timeout, const sigset_t* mask) {
  if (self == nullptr || most <= 0) return WEAVEFUZZ_REAL(epoll_pwait)(epoll, events, most, timeout, mask);
  return epoll_any("epoll_pwait", epoll, limit_of(timeout), WEAVEFUZZ_CALLER(),
                   [&] { return WEAVEFUZZ_REAL(epoll_pwait)(epoll, events, most, 0, mask); });
}

extern "C" int epoll_pwait2(int epoll, epoll_event* events, int most, const timespec* timeout, const sigset_t* mask) {
  if (self == nullptr || most <= 0 || (timeout != nullptr && !is_valid(*timeout)))
    return WEAVEFUZZ_REAL(epoll_pwait2)(epoll, events, most, timeout, mask);
  return epoll_any("epoll_pwait2", epoll, limit_of(timeout), WEAVEFUZZ_CALLER(),
                   [&] { return WEAVEFUZZ_REAL(epoll_pwait2)(epoll, events, most, &kAtOnce, mask); });
}

}  // namespace weavefuzz::runtime
