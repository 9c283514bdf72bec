// timerfd, in virtual time: the real timer is set when the moment has come, and rings at once.
#include <poll.h>
#include <sys/timerfd.h>
#include <time.h>

#include <cerrno>

#include "instrumentation/runtime/descriptors.h"
#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/system.h"

WEAVEFUZZ_DECLARE_REAL(timerfd_create)
WEAVEFUZZ_DECLARE_REAL(timerfd_settime)
WEAVEFUZZ_DECLARE_REAL(timerfd_gettime)

namespace weavefuzz::runtime {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

// Those that are set, earliest first.
Channel* armed = nullptr;

std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond + static_cast<std::uint64_t>(time.tv_nsec);
}

timespec to_timespec(std::uint64_t time) {
  return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

void disarm(Channel& timer) {
  for (Channel** link = &armed; *link != nullptr; link = &(*link)->next) {
    if (*link != &timer) continue;
    *link = timer.next;
    break;
  }
  timer.next = nullptr;
}

void arm(Channel& timer) {
  Channel** link = &armed;
  while (*link != nullptr && (*link)->expires <= timer.expires) link = &(*link)->next;
  timer.next = *link;
  *link = &timer;
}

void set_really(int descriptor, const timespec& time) {
  const itimerspec setting{{}, time};
  system_call(SYS_timerfd_settime, descriptor, 0, reinterpret_cast<long>(&setting), 0);
}

itimerspec left_of(const Channel& timer) {
  if (timer.expires == kNever) return {};
  std::uint64_t left = timer.expires > scheduler.now() ? timer.expires - scheduler.now() : 0;
  if (left == 0 && timer.interval > 0) left = timer.interval - (scheduler.now() - timer.expires) % timer.interval;
  return {to_timespec(timer.interval), to_timespec(left)};
}

}  // namespace

bool timers_are_set() { return armed != nullptr; }

void forget_timer(Channel& timer) { disarm(timer); }

void forget_timers() {
  while (armed != nullptr) {
    armed->expires = kNever;
    disarm(*armed);
  }
}

void ring_due_timers() {
  while (armed != nullptr && armed->expires <= scheduler.now()) {
    Channel& timer = *armed;
    disarm(timer);
    set_really(timer.sides[0].descriptor, {0, 1});
    await(timer.sides[0].descriptor, POLLIN);
    descriptors_changed();
  }
}

std::uint64_t take_expirations(Channel& timer) {
  if (timer.expires == kNever || timer.interval == 0) {
    timer.expires = kNever;
    return 1;
  }
  const std::uint64_t times = 1 + (scheduler.now() - timer.expires) / timer.interval;
  timer.expires += times * timer.interval;
  arm(timer);
  return times;
}

extern "C" int timerfd_create(clockid_t clock, int flags) noexcept {
  const int result = WEAVEFUZZ_REAL(timerfd_create)(clock, flags);
  // Outside of runs a timer is an ordinary one, which the program cannot wait for in a run.
  if (result < 0 || self == nullptr) return result;
  if (Channel* timer = make_channel(ChannelKind::kTimer, result)) timer->clock = clock;
  return result;
}

extern "C" int timerfd_settime(int descriptor, int flags, const itimerspec* setting, itimerspec* old) noexcept {
  const File file = self != nullptr ? file_of(descriptor) : File{};
  if (file.channel == nullptr || file.channel->kind != ChannelKind::kTimer)
    return WEAVEFUZZ_REAL(timerfd_settime)(descriptor, flags, setting, old);
  Channel& timer = *file.channel;
  scheduler.reach({.kind = EventKind::kSend, .address = timer.name, .caller = WEAVEFUZZ_CALLER()});
  if (old != nullptr) *old = left_of(timer);
  release_to(file);
  // Disarms the real one, also when it has rung, and says if the setting is a bad one.
  itimerspec checked = *setting;
  if (checked.it_value.tv_sec > 0) checked.it_value.tv_sec = 1'000'000'000;
  const int result = WEAVEFUZZ_REAL(timerfd_settime)(descriptor, 0, &checked, nullptr);
  if (result != 0) return result;
  set_really(descriptor, {});
  disarm(timer);
  timer.interval = nanoseconds(setting->it_interval);
  timer.expires = kNever;
  if (const std::uint64_t time = nanoseconds(setting->it_value); time != 0) {
    timer.expires =
        (flags & TFD_TIMER_ABSTIME) != 0 ? virtual_deadline(timer.clock, setting->it_value) : scheduler.now() + time;
    arm(timer);
  }
  descriptors_changed();
  return 0;
}

extern "C" int timerfd_gettime(int descriptor, itimerspec* left) noexcept {
  const File file = self != nullptr ? file_of(descriptor) : File{};
  if (file.channel == nullptr || file.channel->kind != ChannelKind::kTimer)
    return WEAVEFUZZ_REAL(timerfd_gettime)(descriptor, left);
  *left = left_of(*file.channel);
  return 0;
}

}  // namespace weavefuzz::runtime
