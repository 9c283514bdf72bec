// Descriptors of the program, and threads that wait for them.
//
// The kernel holds the bytes; the model says who moves. A call that may wait reaches the scheduler with a gate
// that asks the kernel whether the call would go through. When its thread is chosen, the real call is made, and
// cannot wait any more. Pipes, Unix sockets and counters change at once when a thread does something to them.
// TCP on the loopback may take its time: whoever sends, connects or closes stays until it has arrived, and
// whoever receives gets as many bytes as were sent, however the kernel cut them up.
#pragma once
#include <sys/socket.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

#include "instrumentation/runtime/scheduler.h"

namespace weavefuzz::runtime {

enum class ChannelKind : std::uint8_t {
  kFile,  // a file, a device, or anything that was not made by this process: all of these are one object
  kPipe,
  kPair,
  kConnection,
  kListener,
  kSocket,     // not connected
  kDatagrams,  // sockets that send to addresses: all of these are one object
  kCounter,    // eventfd
  kTimer,      // timerfd
  kEpoll,
};

struct Side {
  int descriptor = -1;            // one of those that lead here; -1: there is none
  std::uint32_t descriptors = 0;  // how many do
  std::uint64_t inode = 0;        // 0: many share one, so that it says nothing
  std::uint64_t arriving = 0;     // TCP: bytes that were sent to this side, and not received yet
  bool ended = false;             // TCP: nothing more will be sent to it
};

// A pipe, a pair of sockets, a connection, a counter ...: what the descriptors that lead to it have in common.
struct Channel {
  ChannelKind kind = ChannelKind::kFile;
  bool used = false;
  bool tcp = false;
  bool is_network = false;     // beyond Unix sockets
  bool takes_outside = false;  // epoll: one of its descriptors leads out of the program
  std::uintptr_t name = 0;     // the address of its events
  Side sides[2];               // a pipe is read on the first and written on the second; a counter has one
  Channel* next = nullptr;     // of a list: connections that wait at a listening socket, timers that are set
  // Listening sockets, and connections that wait there to be accepted, oldest first.
  bool pending = false;
  std::uint32_t waiting = 0;
  std::uint32_t backlog = 0;
  sockaddr_storage bound{};
  socklen_t bound_size = 0;
  std::uint16_t port = 0;  // connection: of the side that connected
  // Timers, in virtual time.
  std::uint64_t expires = kNever;
  std::uint64_t interval = 0;
  clockid_t clock = CLOCK_MONOTONIC;
};

// Where a descriptor leads.
struct File {
  Channel* channel = nullptr;  // nullptr: none that we know
  std::uint8_t side = 0;
  bool may_wait = false;  // without a channel: it is no plain file

  std::uintptr_t name() const;
  Side& here() const { return channel->sides[side]; }
  Side& there() const { return channel->sides[1 - side]; }
};

File file_of(int descriptor);

// Happens-before edges for TSan, which knows those of bytes, but not those of an end that is closed or of a poll. What
// is sent to `file`, or ends, comes before whatever is found there later.
void release_to(const File& file);
void acquire_from(const File& file);

// nullptr if there are too many: they lead nowhere that we know then.
Channel* make_channel(ChannelKind kind, int first, int second = -1);
void become(Channel& channel, ChannelKind kind, int first);  // with another name
void attach(int descriptor, Channel& channel, std::uint8_t side);
// Before `descriptor` is closed: a thread that waits for it keeps what it leads to, as it does in the kernel.
void keep_for_waiters(int descriptor);
void detach(int descriptor);
// The first listening socket of this process that `accepts` says yes to.
Channel* find_listener(bool (*accepts)(const Channel& listener, const void* context), const void* context);
void join_queue(Channel& listener, Channel& connection);
void leave_queue(Channel& listener, Channel& connection);

// Something was done that may change what others wait for.
void descriptors_changed();
void file_lock_released();

// None of these touches errno.
short poll_now(int descriptor, short events);
// Waits, really, for what is on its way. Gives up after a second: then the kernel knows better.
void await(int descriptor, short events);
int status_flags(int descriptor);  // F_GETFL; -1 if there is no such descriptor

// The descriptor has other status flags while this lives.
class StatusFlags {
 public:
  StatusFlags(int descriptor, int flags, int temporary);  // flags: those that it has; -1: leave it alone
  ~StatusFlags();
  StatusFlags(const StatusFlags&) = delete;
  StatusFlags& operator=(const StatusFlags&) = delete;

 private:
  int descriptor_;
  int flags_;
  bool changed_;
};

// One call of the program's on a descriptor.
struct DescriptorCall {
  const char* name;
  const void* caller;
  EventKind kind;
  int descriptor;
  std::size_t size = 0;
  bool unwaiting = false;  // the program asked it not to wait (MSG_DONTWAIT)
  bool peeks = false;
};

// What a thread waits for. Lives on its stack; asks the kernel only when something has changed.
class Wait {
 public:
  Wait(const char* call, const void* caller);
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  // Returns when it is ready (true), or the deadline has passed (false).
  bool until_ready(const Op& op, std::uint64_t deadline);
  bool ready();

 protected:
  ~Wait();
  virtual bool ask() = 0;
  virtual std::uint64_t next_timer() { return kNever; }  // when a timer among what it waits for expires
  virtual bool waits_for_outside() { return false; }
  virtual void keep(int /*descriptor*/) {}

 private:
  friend bool look_at_descriptors_again();
  friend bool give_up_on_outside();
  friend void keep_for_waiters(int descriptor);
  static bool holds(const void* context);

  const char* call_;
  const void* caller_;
  std::uint64_t asked_at_ = 0;
  std::uint64_t timer_ = kNever;  // as it was when the wait began
  bool answer_ = false;
  bool given_up_ = false;
  Wait* next_;
  Wait* previous_ = nullptr;
};

// Waits for one descriptor.
class DescriptorWait final : public Wait {
 public:
  DescriptorWait(const DescriptorCall& call, const File& file, short events)
      : Wait(call.name, call.caller), descriptor_(call.descriptor), events_(events), file_(file) {}
  ~DescriptorWait();
  DescriptorWait(const DescriptorWait&) = delete;
  DescriptorWait& operator=(const DescriptorWait&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  bool ask() override;
  std::uint64_t next_timer() override;
  void keep(int descriptor) override;

  int descriptor_;
  short events_;
  File file_;
  bool own_ = false;  // a duplicate: the program has closed its own
};

// A call that does not wait has found nothing to do. When it finds that again, and nobody did anything in
// between, it is part of a loop that waits for others: they go first.
void before_unwaiting_call();
void nothing_to_do();

inline std::uint64_t earlier(std::uint64_t a, std::uint64_t b) { return a == kNever || (b != kNever && b < a) ? b : a; }

// Timers whose time has come can be read.
void ring_due_timers();
bool timers_are_set();
void forget_timer(Channel& timer);
void forget_timers();
// What is read from a timer: how often it rang. Sets its next time.
std::uint64_t take_expirations(Channel& timer);
// When a timer expires, or the first of those that an epoll watches.
std::uint64_t next_timer_of(const Channel& channel);

// For the scheduler.
void begin_descriptors();
// No thread can go on: has anything changed that went past us? Does somebody wait for the world outside?
bool look_at_descriptors_again();
bool give_up_on_outside();

inline constexpr const char* kWaitsForOutside = "waits for something outside the program, which is not supported";

// A real call, to be made when it cannot wait: on this descriptor, without the bytes that are done.
class RealCall {
 public:
  template <class Function>
  RealCall(const Function& function)  // NOLINT: a lambda, where the call is made
      : function_(&function), call_([](const void* real, int descriptor, std::size_t done) -> long {
          return (*static_cast<const Function*>(real))(descriptor, done);
        }) {}
  long operator()(int descriptor, std::size_t done = 0) const { return call_(function_, descriptor, done); }

 private:
  const void* function_;
  long (*call_)(const void* function, int descriptor, std::size_t done);
};

// Gets bytes, a message or a connection. Whether it waits is not for `real` to say: it leaves MSG_DONTWAIT out.
long scheduled_receive(const DescriptorCall& call, RealCall real);
// Sends all of it, in parts if need be. `real` must not wait where `call` is unwaiting.
long scheduled_send(const DescriptorCall& call, RealCall real);

}  // namespace weavefuzz::runtime
