// Which descriptors lead where. Followed on every thread, also outside of runs: a run may use what was made before.
#include "instrumentation/runtime/descriptors.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/sanitizers.h"
#include "instrumentation/runtime/system.h"

extern "C" int fcntl64(int descriptor, int command, ...);

WEAVEFUZZ_DECLARE_REAL(pipe)
WEAVEFUZZ_DECLARE_REAL(pipe2)
WEAVEFUZZ_DECLARE_REAL(eventfd)
WEAVEFUZZ_DECLARE_REAL(dup)
WEAVEFUZZ_DECLARE_REAL(dup2)
WEAVEFUZZ_DECLARE_REAL(dup3)
WEAVEFUZZ_DECLARE_REAL(fcntl)
WEAVEFUZZ_DECLARE_REAL(close)
WEAVEFUZZ_DECLARE_REAL(close_range)
WEAVEFUZZ_DECLARE_REAL(closefrom)
WEAVEFUZZ_DECLARE_REAL(fclose)
WEAVEFUZZ_DECLARE_REAL(fdopen)

namespace weavefuzz::runtime {

namespace {

constexpr std::size_t kMaxDescriptors = 4096;  // those above lead nowhere that we know

struct Entry {
  Channel* channel;
  std::uint8_t side;
};
Entry entries[kMaxDescriptors];
Zeroed<Channel, kMaxDescriptors> channels;
std::size_t next_channel = 0;
std::uint64_t next_serial = 0;
std::uint32_t locked = 0;

// For threads that are not under control. Nothing is switched while one holds it.
class Lock {
 public:
  Lock() {
    while (__atomic_exchange_n(&locked, 1U, __ATOMIC_ACQUIRE) != 0) system_call(SYS_sched_yield);
  }
  ~Lock() { __atomic_store_n(&locked, 0U, __ATOMIC_RELEASE); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

// Names look like addresses, of memory that cannot exist, and are never used twice:
// 4 bits set, 4 of the kind, 32 of a serial number, 12 each of two descriptors plus 1.
constexpr std::uintptr_t kNameTag = std::uintptr_t{0xF} << 60;
constexpr unsigned kDescriptorBits = 12;
static_assert(kMaxDescriptors == std::size_t{1} << kDescriptorBits);

std::uintptr_t shared_name(ChannelKind kind) { return kNameTag | static_cast<std::uintptr_t>(kind) << 56; }

std::uintptr_t new_name(ChannelKind kind, int first, int second) {
  const auto field = [](int descriptor) { return static_cast<std::uintptr_t>(descriptor + 1) % kMaxDescriptors; };
  const std::uintptr_t serial = ++next_serial & 0xFFFF'FFFF;
  return shared_name(kind) | serial << (2 * kDescriptorBits) | field(first) << kDescriptorBits | field(second);
}

constexpr const char* kKindTexts[] = {"files",  "pipe",      "socket pair",   "connection", "listening socket",
                                      "socket", "datagrams", "event counter", "timer",      "epoll"};

// With an inode of its own for each.
bool has_inode(mode_t mode) { return S_ISFIFO(mode) || S_ISSOCK(mode); }

long status_of(int descriptor, struct stat& status) {
  return system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status));
}

std::uint64_t inode_of(int descriptor) {
  struct stat status{};
  return status_of(descriptor, status) == 0 && has_inode(status.st_mode) ? status.st_ino : 0;
}

bool is_tracked(int descriptor) {
  return static_cast<std::size_t>(descriptor) < kMaxDescriptors && entries[descriptor].channel != nullptr;
}

void release(Channel& channel) {
  if (channel.sides[0].descriptors == 0 && channel.sides[1].descriptors == 0 && !channel.pending) channel.used = false;
}

// Nobody will ever accept these.
void drop_pending(Channel& listener) {
  while (Channel* connection = listener.next) {
    listener.next = connection->next;
    connection->next = nullptr;
    connection->pending = false;
    connection->sides[0].ended = true;
    release(*connection);
  }
  listener.waiting = 0;
}

void detach_locked(int descriptor) {
  Entry& entry = entries[descriptor];
  Channel& channel = *entry.channel;
  Side& side = channel.sides[entry.side];
  entry.channel = nullptr;
  if (--side.descriptors == 0) {
    side.descriptor = -1;
    channel.sides[1 - entry.side].ended = true;
    if (channel.kind == ChannelKind::kListener) drop_pending(channel);
    if (channel.kind == ChannelKind::kTimer) forget_timer(channel);
    release(channel);
    return;
  }
  if (side.descriptor != descriptor) return;
  for (std::size_t i = 0; i < kMaxDescriptors; ++i)
    if (entries[i].channel == &channel && &channel.sides[entries[i].side] == &side)
      side.descriptor = static_cast<int>(i);
}

void attach_locked(int descriptor, Channel& channel, std::uint8_t side) {
  if (static_cast<std::size_t>(descriptor) >= kMaxDescriptors) return;
  if (entries[descriptor].channel != nullptr) detach_locked(descriptor);  // closed behind our back
  entries[descriptor] = {&channel, side};
  ++channel.sides[side].descriptors;
  if (channel.sides[side].descriptor == -1) {
    channel.sides[side].descriptor = descriptor;
    channel.sides[side].inode = inode_of(descriptor);
  }
}

// Both lead to the same.
void attach_copy(int from, int to) {
  if (to < 0 || !is_tracked(from)) return;
  const Lock lock;
  attach_locked(to, *entries[from].channel, entries[from].side);
}

// An event for what happens to the descriptor itself. What it leads to may see it.
void reach_change(int descriptor, const void* caller) {
  scheduler.reach({.kind = EventKind::kClose, .address = file_of(descriptor).name(), .caller = caller});
}

// Makes the real call, and lets whoever is at the other end of a TCP connection know before it goes on.
template <class Real>
int close_descriptor(int descriptor, const void* caller, Real real) {
  keep_for_waiters(descriptor);
  const File file = is_tracked(descriptor) ? file_of(descriptor) : File{};
  const bool ends = file.channel != nullptr && file.channel->tcp && file.here().descriptors == 1;
  const int peer = ends && file.there().arriving == 0 ? file.there().descriptor : -1;
  release_to(file);
  detach(descriptor);
  const TsanFrame frame(caller);
  const int result = real();
  if (peer != -1) await(peer, POLLRDHUP);
  file_lock_released();
  descriptors_changed();
  return result;
}

}  // namespace

std::uintptr_t File::name() const { return channel != nullptr ? channel->name : shared_name(ChannelKind::kFile); }

File file_of(int descriptor) {
  if (is_tracked(descriptor)) return {entries[descriptor].channel, entries[descriptor].side};
  struct stat status{};
  if (status_of(descriptor, status) != 0) return {};
  if (has_inode(status.st_mode)) {  // handed over in a message
    const Lock lock;
    for (Channel& channel : channels)
      for (const std::uint8_t side : {std::uint8_t{0}, std::uint8_t{1}})
        if (channel.used && channel.sides[side].descriptors != 0 && channel.sides[side].inode == status.st_ino) {
          attach_locked(descriptor, channel, side);
          return {&channel, side};
        }
  }
  return {nullptr, 0, !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) && !S_ISBLK(status.st_mode)};
}

Channel* make_channel(ChannelKind kind, int first, int second) {
  const Lock lock;
  std::size_t tries = 0;
  while (channels[next_channel].used && ++tries < kMaxDescriptors) next_channel = (next_channel + 1) % kMaxDescriptors;
  if (channels[next_channel].used || static_cast<std::size_t>(std::max(first, second)) >= kMaxDescriptors)
    return nullptr;
  Channel& channel = channels[next_channel];
  next_channel = (next_channel + 1) % kMaxDescriptors;
  channel = Channel{.kind = kind, .used = true, .name = new_name(kind, first, second)};
  attach_locked(first, channel, 0);
  if (second != -1) attach_locked(second, channel, 1);
  return &channel;
}

void become(Channel& channel, ChannelKind kind, int first) {
  const Lock lock;
  channel.kind = kind;
  channel.name = kind == ChannelKind::kDatagrams ? shared_name(kind) : new_name(kind, first, -1);
}

void attach(int descriptor, Channel& channel, std::uint8_t side) {
  const Lock lock;
  attach_locked(descriptor, channel, side);
}

void detach(int descriptor) {
  if (!is_tracked(descriptor)) return;
  const Lock lock;
  if (is_tracked(descriptor)) detach_locked(descriptor);
}

Channel* find_listener(bool (*accepts)(const Channel& listener, const void* context), const void* context) {
  const Lock lock;
  for (Channel& channel : channels)
    if (channel.used && channel.kind == ChannelKind::kListener && accepts(channel, context)) return &channel;
  return nullptr;
}

void join_queue(Channel& listener, Channel& connection) {
  const Lock lock;
  Channel** link = &listener.next;
  while (*link != nullptr) link = &(*link)->next;
  *link = &connection;
  connection.pending = true;
  ++listener.waiting;
}

void leave_queue(Channel& listener, Channel& connection) {
  const Lock lock;
  for (Channel** link = &listener.next; *link != nullptr; link = &(*link)->next) {
    if (*link != &connection) continue;
    *link = connection.next;
    connection.next = nullptr;
    connection.pending = false;
    --listener.waiting;
    return;
  }
}

bool descriptor_name(std::uintptr_t address, std::span<char> text) {
  if ((address & kNameTag) != kNameTag || text.empty()) return false;
  const auto field = [&](unsigned shift) { return static_cast<int>((address >> shift) % kMaxDescriptors) - 1; };
  const char* kind = kKindTexts[(address >> 56) & 0xF];
  const int first = field(kDescriptorBits);
  const int second = field(0);
  if (first < 0) {
    std::snprintf(text.data(), text.size(), "%s", kind);
  } else if (second < 0) {
    std::snprintf(text.data(), text.size(), "%s (%d)", kind, first);
  } else {
    std::snprintf(text.data(), text.size(), "%s (%d, %d)", kind, first, second);
  }
  return true;
}

// Making them

extern "C" int pipe(int descriptors[2]) noexcept {
  const int result = WEAVEFUZZ_REAL(pipe)(descriptors);
  if (result == 0) make_channel(ChannelKind::kPipe, descriptors[0], descriptors[1]);
  return result;
}

extern "C" int pipe2(int descriptors[2], int flags) noexcept {
  const int result = WEAVEFUZZ_REAL(pipe2)(descriptors, flags);
  if (result == 0) make_channel(ChannelKind::kPipe, descriptors[0], descriptors[1]);
  return result;
}

extern "C" int eventfd(unsigned value, int flags) noexcept {
  const int result = WEAVEFUZZ_REAL(eventfd)(value, flags);
  if (result >= 0) make_channel(ChannelKind::kCounter, result);
  return result;
}

// Copying them

extern "C" int dup(int descriptor) noexcept {
  const int result = WEAVEFUZZ_REAL(dup)(descriptor);
  attach_copy(descriptor, result);
  return result;
}

extern "C" int dup2(int from, int to) noexcept {
  if (from == to || !is_tracked(to)) {
    const int result = WEAVEFUZZ_REAL(dup2)(from, to);
    if (from != to) attach_copy(from, result);
    return result;
  }
  if (self != nullptr) reach_change(to, WEAVEFUZZ_CALLER());
  if (status_flags(from) == -1) return WEAVEFUZZ_REAL(dup2)(from, to);  // an error: `to` stays open
  const int result = close_descriptor(to, WEAVEFUZZ_CALLER(), [&] { return WEAVEFUZZ_REAL(dup2)(from, to); });
  attach_copy(from, result);
  return result;
}

extern "C" int dup3(int from, int to, int flags) noexcept {
  if (from == to || !is_tracked(to) || status_flags(from) == -1) {
    const int result = WEAVEFUZZ_REAL(dup3)(from, to, flags);
    attach_copy(from, result);
    return result;
  }
  if (self != nullptr) reach_change(to, WEAVEFUZZ_CALLER());
  const int result = close_descriptor(to, WEAVEFUZZ_CALLER(), [&] { return WEAVEFUZZ_REAL(dup3)(from, to, flags); });
  attach_copy(from, result);
  return result;
}

namespace {

int control(int descriptor, int command, void* argument, const void* caller) {
  const auto real = WEAVEFUZZ_REAL(fcntl);
  if (self != nullptr && command == F_OFD_SETLKW)
    scheduler.refuse("fcntl", "F_OFD_SETLKW is not supported; locks of flock are", caller);
  if (self != nullptr && command == F_SETLKW) {
    // Threads of one process do not exclude each other.
    const int result = real(descriptor, F_SETLK, argument);
    if (result == 0 || (errno != EAGAIN && errno != EACCES)) return result;
    scheduler.refuse("fcntl", kWaitsForOutside, caller);
  }
  const int result = real(descriptor, command, argument);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) attach_copy(descriptor, result);
  return result;
}

}  // namespace

extern "C" int fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return control(descriptor, command, argument, WEAVEFUZZ_CALLER());
}

extern "C" int fcntl64(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return control(descriptor, command, argument, WEAVEFUZZ_CALLER());
}

// Closing them

extern "C" int close(int descriptor) {
  if (self == nullptr) {
    detach(descriptor);
    return WEAVEFUZZ_REAL(close)(descriptor);
  }
  reach_change(descriptor, WEAVEFUZZ_CALLER());
  return close_descriptor(descriptor, WEAVEFUZZ_CALLER(), [&] { return WEAVEFUZZ_REAL(close)(descriptor); });
}

extern "C" int close_range(unsigned first, unsigned last, int flags) noexcept {
  if (self != nullptr) scheduler.refuse("close_range", "not supported; close them one by one", WEAVEFUZZ_CALLER());
  const int result = WEAVEFUZZ_REAL(close_range)(first, last, flags);
  if (result == 0 && flags == 0)
    for (unsigned i = first; i <= last && i < kMaxDescriptors; ++i) detach(static_cast<int>(i));
  return result;
}

extern "C" void closefrom(int first) noexcept {
  if (self != nullptr) scheduler.refuse("closefrom", "not supported; close them one by one", WEAVEFUZZ_CALLER());
  WEAVEFUZZ_REAL(closefrom)(first);
  for (std::size_t i = static_cast<std::size_t>(std::max(first, 0)); i < kMaxDescriptors; ++i)
    detach(static_cast<int>(i));
}

// A stream of the C library would read, write and wait inside of that, with the stream locked.
extern "C" FILE* fdopen(int descriptor, const char* mode) noexcept {
  if (self != nullptr && is_tracked(descriptor))
    scheduler.refuse("fdopen", "streams on pipes and sockets are not supported; use read and write",
                     WEAVEFUZZ_CALLER());
  return WEAVEFUZZ_REAL(fdopen)(descriptor, mode);
}

extern "C" int fclose(FILE* stream) {
  if (stream != nullptr) detach(fileno(stream));
  return WEAVEFUZZ_REAL(fclose)(stream);
}

}  // namespace weavefuzz::runtime
