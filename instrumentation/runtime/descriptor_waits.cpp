// Threads that wait for descriptors, and the calls that make them.
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>

#include "instrumentation/runtime/descriptors.h"
#include "instrumentation/runtime/sanitizers.h"
#include "instrumentation/runtime/system.h"

namespace weavefuzz::runtime {

namespace {

bool is_socket(ChannelKind kind) {
  switch (kind) {
    case ChannelKind::kPair:
    case ChannelKind::kConnection:
    case ChannelKind::kListener:
    case ChannelKind::kSocket:
    case ChannelKind::kDatagrams: return true;
    default: return false;
  }
}

constexpr std::uint64_t kMicrosecond = 1'000;
constexpr std::uint64_t kSecond = 1'000'000'000;

std::uint64_t changes = 1;  // counts what threads did to descriptors
Wait* waits = nullptr;
std::uint64_t nothing_at[kMaxThreads];  // by thread: `changes` when a call of it that does not wait found nothing

long poll_for(int descriptor, short events, const timespec& time, short& ready) {
  pollfd state{descriptor, events, 0};
  const long result = system_call(SYS_ppoll, reinterpret_cast<long>(&state), 1, reinterpret_cast<long>(&time));
  ready = state.revents;
  return result;
}

void set_option(int descriptor, int level, int option, int value) {
  system_call(SYS_setsockopt, descriptor, level, option, reinterpret_cast<long>(&value), sizeof value);
}

int get_option(int descriptor, int level, int option) {
  int value = 0;
  socklen_t length = sizeof value;
  system_call(SYS_getsockopt, descriptor, level, option, reinterpret_cast<long>(&value),
              reinterpret_cast<long>(&length));
  return value;
}

// Small segments may be held back until earlier ones are acknowledged. Switching that off sends them.
void flush(int sender) {
  if (sender == -1 || get_option(sender, IPPROTO_TCP, TCP_NODELAY) != 0) return;
  set_option(sender, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(sender, IPPROTO_TCP, TCP_NODELAY, 0);
}

bool is_present(int descriptor, std::uint64_t size) {
  int present = 0;
  system_call(SYS_ioctl, descriptor, FIONREAD, reinterpret_cast<long>(&present));
  return static_cast<std::uint64_t>(present) >= size;
}

// TCP: how many bytes a call gets is known; when they come is not. While this lives, the call waits, really, for all of
// them: they are on their way.
class Arrival {
 public:
  Arrival(const DescriptorCall& call, const File& file, int descriptor) : descriptor_(descriptor) {
    const Side& here = file.here();
    const std::uint64_t size = std::min<std::uint64_t>({here.arriving, call.size, INT_MAX});
    if (size == 0 && here.ended && here.arriving == 0) await(descriptor, POLLIN | POLLRDHUP);
    if (size == 0 || is_present(descriptor, size)) return;
    low_water_ = get_option(descriptor, SOL_SOCKET, SO_RCVLOWAT);
    set_option(descriptor, SOL_SOCKET, SO_RCVLOWAT, static_cast<int>(size));
    flush(file.there().descriptor);
    // Who only looks makes no room for more than the window, and must not wait for it.
    if (call.peeks) await(descriptor, POLLIN | POLLRDHUP);
    waits_ = !call.peeks;
  }
  ~Arrival() {
    if (low_water_ != 0) set_option(descriptor_, SOL_SOCKET, SO_RCVLOWAT, low_water_);
  }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  bool waits() const { return waits_; }

 private:
  int descriptor_;
  int low_water_ = 0;
  bool waits_ = false;
};

void received(const DescriptorCall& call, const File& file, int descriptor, long result) {
  if (file.channel->tcp && !call.peeks && call.size > 0) {
    Side& here = file.here();
    // The end, or an error, though bytes were to come: they are lost.
    here.arriving = result > 0 ? here.arriving - std::min(here.arriving, static_cast<std::uint64_t>(result))
                               : (result == 0 || errno != EAGAIN ? 0 : here.arriving);
    if (here.arriving > 0 && !is_present(descriptor, 1)) {  // whoever asks next is to find it
      flush(file.there().descriptor);
      await(descriptor, POLLIN | POLLRDHUP);
    }
  }
  if (result < 0) return;
  acquire_from(file);
  descriptors_changed();
}

// Calls that the kernel answers at once: on the wrong end of a pipe, or with too small a buffer.
bool is_answered_at_once(const DescriptorCall& call, const File& file, int flags) {
  if (flags == -1 || (flags & O_ACCMODE) == O_WRONLY) return true;
  if (file.channel == nullptr || call.kind == EventKind::kAccept) return false;
  const ChannelKind kind = file.channel->kind;
  const bool counts = kind == ChannelKind::kCounter || kind == ChannelKind::kTimer;
  return (kind == ChannelKind::kPipe && call.size == 0) || (counts && call.size < sizeof(std::uint64_t));
}

// What was sent over TCP is there before anybody else goes on.
void settle(const File& file, int descriptor, long result) {
  if (result < 0) return;
  descriptors_changed();
  if (!file.channel->tcp || result == 0) return;
  Side& there = file.there();
  if (there.descriptors == 0 && !file.channel->pending) {
    await(descriptor, POLLHUP);  // nobody is there: the answer is a reset
    return;
  }
  there.arriving += static_cast<std::uint64_t>(result);
  if (there.descriptor != -1) await(there.descriptor, POLLIN);
}

// SO_RCVTIMEO or SO_SNDTIMEO, as a virtual deadline.
std::uint64_t time_limit(const File& file, int descriptor, int option) {
  if (!is_socket(file.channel->kind)) return kNever;
  timeval limit{};
  socklen_t length = sizeof limit;
  if (system_call(SYS_getsockopt, descriptor, SOL_SOCKET, option, reinterpret_cast<long>(&limit),
                  reinterpret_cast<long>(&length)) != 0)
    return kNever;
  const std::uint64_t time =
      static_cast<std::uint64_t>(limit.tv_sec) * kSecond + static_cast<std::uint64_t>(limit.tv_usec) * kMicrosecond;
  return time == 0 ? kNever : scheduler.now() + time;
}

}  // namespace

void descriptors_changed() { ++changes; }

void release_to(const File& file) {
  if (file.channel != nullptr) tsan_release(file.channel);
}

void acquire_from(const File& file) {
  if (file.channel != nullptr) tsan_acquire(file.channel);
}

short poll_now(int descriptor, short events) {
  short ready = 0;
  poll_for(descriptor, events, {}, ready);
  return ready;
}

void await(int descriptor, short events) {
  short ready = 0;
  poll_for(descriptor, events, {1, 0}, ready);
}

int status_flags(int descriptor) {
  const long flags = system_call(SYS_fcntl, descriptor, F_GETFL);
  return flags < 0 ? -1 : static_cast<int>(flags);
}

StatusFlags::StatusFlags(int descriptor, int flags, int temporary)
    : descriptor_(descriptor), flags_(flags), changed_(flags != -1 && flags != temporary) {
  if (changed_) system_call(SYS_fcntl, descriptor_, F_SETFL, temporary);
}

StatusFlags::~StatusFlags() {
  if (changed_) system_call(SYS_fcntl, descriptor_, F_SETFL, flags_);
}

Wait::Wait(const char* call, const void* caller) : call_(call), caller_(caller), next_(waits) {
  if (waits != nullptr) waits->previous_ = this;
  waits = this;
}

Wait::~Wait() {
  (previous_ != nullptr ? previous_->next_ : waits) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

bool Wait::ready() {
  ring_due_timers();
  if (asked_at_ != changes) {
    asked_at_ = changes;
    answer_ = ask();
  }
  return answer_ || given_up_;
}

// A thread whose timer was set anew must begin to wait again.
bool Wait::holds(const void* context) {
  auto& wait = *const_cast<Wait*>(static_cast<const Wait*>(context));
  return wait.ready() || wait.next_timer() != wait.timer_;
}

bool Wait::until_ready(const Op& op, std::uint64_t deadline) {
  for (;;) {
    timer_ = next_timer();
    scheduler.reach(op, {.gate = Gate::kAsked, .deadline = earlier(deadline, timer_), .holds = holds, .context = this});
    const bool is_ready = ready();
    if (given_up_) scheduler.refuse(call_, kWaitsForOutside, caller_);
    if (is_ready) return true;
    if (deadline != kNever && scheduler.now() >= deadline) return false;
  }
}

bool DescriptorWait::ask() { return poll_now(descriptor_, events_) != 0; }

std::uint64_t DescriptorWait::next_timer() { return next_timer_of(*file_.channel); }

void DescriptorWait::keep(int descriptor) {
  if (descriptor != descriptor_ || file_.channel == nullptr) return;
  constexpr int kOutOfTheWay = 512;
  const long copy = system_call(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kOutOfTheWay);
  if (copy < 0) return;
  descriptor_ = static_cast<int>(copy);
  own_ = true;
  attach(descriptor_, *file_.channel, file_.side);
}

DescriptorWait::~DescriptorWait() {
  if (!own_) return;
  detach(descriptor_);
  system_call(SYS_close, descriptor_);
  descriptors_changed();
}

void keep_for_waiters(int descriptor) {
  for (Wait* wait = waits; wait != nullptr; wait = wait->next_) wait->keep(descriptor);
}

void begin_descriptors() {
  descriptors_changed();
  waits = nullptr;
  forget_timers();  // time starts again
}

bool look_at_descriptors_again() {
  descriptors_changed();
  return waits != nullptr;
}

bool give_up_on_outside() {
  for (Wait* wait = waits; wait != nullptr; wait = wait->next_)
    if (wait->waits_for_outside()) return wait->given_up_ = true;
  return false;
}

void before_unwaiting_call() {
  if (nothing_at[self->id.value] == changes) self->yields = true;
}

void nothing_to_do() { nothing_at[self->id.value] = changes; }

long scheduled_receive(const DescriptorCall& call, RealCall real) {
  const File file = file_of(call.descriptor);
  const Op op{.kind = call.kind, .address = file.name(), .caller = call.caller};
  const int flags = status_flags(call.descriptor);
  const bool unwaiting = call.unwaiting || (flags & O_NONBLOCK) != 0 || is_answered_at_once(call, file, flags);
  if (file.channel == nullptr) {
    scheduler.reach(op);
    if (file.may_wait && !unwaiting && poll_now(call.descriptor, POLLIN) == 0)
      scheduler.refuse(call.name, kWaitsForOutside, call.caller);
    const TsanFrame frame(call.caller);
    const StatusFlags guard(call.descriptor, flags, unwaiting ? flags | O_NONBLOCK : flags);
    return real(call.descriptor);
  }
  if (file.channel->kind == ChannelKind::kDatagrams && file.channel->is_network)
    scheduler.refuse(call.name, "receiving datagrams from the network is not supported", call.caller);
  const auto make = [&](int descriptor, bool may_wait) {
    const TsanFrame frame(call.caller);
    const StatusFlags guard(descriptor, flags, may_wait ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
    return real(descriptor);
  };
  const auto take = [&](int descriptor) {
    long result;
    if (file.channel->tcp) {
      const Arrival arrival(call, file, descriptor);
      result = make(descriptor, !unwaiting || arrival.waits());
    } else {
      result = make(descriptor, !unwaiting);
    }
    received(call, file, descriptor, result);
    return result;
  };
  if (unwaiting) {
    before_unwaiting_call();
    scheduler.reach(op);
    const long result = take(call.descriptor);
    if (result < 0) nothing_to_do();
    return result;
  }
  DescriptorWait wait(call, file, POLLIN);
  if (wait.until_ready(op, time_limit(file, call.descriptor, SO_RCVTIMEO))) return take(wait.descriptor());
  errno = EAGAIN;
  return -1;
}

long scheduled_send(const DescriptorCall& call, RealCall real) {
  const File file = file_of(call.descriptor);
  const Op op{.kind = call.kind, .address = file.name(), .caller = call.caller};
  const int flags = status_flags(call.descriptor);
  const bool unwaiting = call.unwaiting || flags == -1 || (flags & O_NONBLOCK) != 0;
  if (unwaiting) before_unwaiting_call();
  scheduler.reach(op);
  const auto give = [&](int descriptor, std::size_t done) {
    const TsanFrame frame(call.caller);
    return real(descriptor, done);
  };
  if (file.channel == nullptr) return give(call.descriptor, 0);
  release_to(file);
  if (unwaiting) {
    const long result = give(call.descriptor, 0);
    settle(file, call.descriptor, result);
    if (result < 0) nothing_to_do();
    return result;
  }
  // The kernel may take what it says it has no room for: it has to be tried.
  DescriptorWait wait(call, file, POLLOUT);
  std::size_t done = 0;
  do {
    const bool fits = file.channel->kind == ChannelKind::kPipe && call.size - done <= PIPE_BUF &&
                      poll_now(wait.descriptor(), POLLOUT) == POLLOUT;
    long result;
    {
      const StatusFlags guard(wait.descriptor(), flags, fits ? flags : flags | O_NONBLOCK);
      result = give(wait.descriptor(), done);
    }
    if (result < 0 && errno != EAGAIN) return done > 0 ? static_cast<long>(done) : -1;
    if (result < 0) {  // some sockets say that there is room when there is none
      before_unwaiting_call();
      nothing_to_do();
      continue;
    }
    settle(file, wait.descriptor(), result);
    done += static_cast<std::size_t>(result);
    if (done >= call.size) return static_cast<long>(done);
  } while (wait.until_ready(op, time_limit(file, call.descriptor, SO_SNDTIMEO)));
  errno = EAGAIN;
  return done > 0 ? static_cast<long>(done) : -1;
}

}  // namespace weavefuzz::runtime
