// Sockets: pairs, connections, and those that listen.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "instrumentation/runtime/descriptors.h"
#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/system.h"

WEAVEFUZZ_DECLARE_REAL(socket)
WEAVEFUZZ_DECLARE_REAL(socketpair)
WEAVEFUZZ_DECLARE_REAL(listen)
WEAVEFUZZ_DECLARE_REAL(accept)
WEAVEFUZZ_DECLARE_REAL(accept4)
WEAVEFUZZ_DECLARE_REAL(connect)
WEAVEFUZZ_DECLARE_REAL(shutdown)

namespace weavefuzz::runtime {

namespace {

constexpr std::uint32_t kMostBacklog = 4096;  // SOMAXCONN

std::uint16_t port_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return reinterpret_cast<const sockaddr_in&>(address).sin_port;
  if (address.ss_family == AF_INET6) return reinterpret_cast<const sockaddr_in6&>(address).sin6_port;
  return 0;
}

std::uint16_t own_port(int socket, long call) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  system_call(call, socket, reinterpret_cast<long>(&address), reinterpret_cast<long>(&length));
  return port_of(address);
}

bool is_loopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const std::uint32_t host = ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr);
    return host >> 24 == 127 || host == INADDR_ANY;
  }
  if (address.ss_family != AF_INET6) return false;
  const in6_addr& host = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&host) || IN6_IS_ADDR_UNSPECIFIED(&host) ||
         (IN6_IS_ADDR_V4MAPPED(&host) && host.s6_addr[12] == 127);
}

struct Target {
  sockaddr_storage address{};
  socklen_t length = 0;
};

bool listens_at(const Channel& listener, const void* context) {
  const Target& target = *static_cast<const Target*>(context);
  if (target.address.ss_family == AF_UNIX) {
    if (listener.bound.ss_family != AF_UNIX) return false;
    const auto& bound = reinterpret_cast<const sockaddr_un&>(listener.bound);
    const auto& wanted = reinterpret_cast<const sockaddr_un&>(target.address);
    if (bound.sun_path[0] != '\0') return std::strncmp(bound.sun_path, wanted.sun_path, sizeof bound.sun_path) == 0;
    return listener.bound_size == target.length && std::memcmp(&bound, &wanted, target.length) == 0;
  }
  return is_loopback(target.address) && listener.bound.ss_family != AF_UNIX &&
         port_of(listener.bound) == port_of(target.address);
}

// Waits until there is room in the queue of those who want to be accepted.
class QueueWait final : public Wait {
 public:
  QueueWait(const char* call, const void* caller, const Channel& listener)
      : Wait(call, caller), listener_(listener), name_(listener.name) {}

 private:
  bool ask() override {
    const bool is_gone = !listener_.used || listener_.name != name_;
    return is_gone || listener_.waiting <= listener_.backlog;
  }

  const Channel& listener_;
  std::uintptr_t name_;
};

// `socket` is connected, or about to be, and waits at `listener` for somebody to accept it.
void enqueue(Channel& connection, Channel& listener, int socket) {
  become(connection, ChannelKind::kConnection, socket);
  connection.tcp = connection.is_network;
  connection.port = own_port(socket, SYS_getsockname);
  join_queue(listener, connection);
  if (!connection.tcp) return;
  await(socket, POLLOUT);
  await(listener.sides[0].descriptor, POLLIN);
}

// `socket` is the other side of a connection that waited in the queue. One from outside is left alone.
void dequeue(Channel& listener, int socket) {
  const std::uint16_t port = listener.is_network ? own_port(socket, SYS_getpeername) : 0;
  Channel* connection = listener.next;
  while (connection != nullptr && connection->port != port) connection = connection->next;
  if (connection == nullptr) return;
  leave_queue(listener, *connection);
  attach(socket, *connection, 1);
  const Side& here = connection->sides[1];
  if (connection->tcp && (here.arriving > 0 || here.ended)) await(socket, POLLIN | POLLRDHUP);
}

long accept_one(const DescriptorCall& call, RealCall real) {
  const long result = scheduled_receive(call, real);
  const File listener = file_of(call.descriptor);
  if (result >= 0 && listener.channel != nullptr) dequeue(*listener.channel, static_cast<int>(result));
  return result;
}

}  // namespace

extern "C" int socket(int domain, int type, int protocol) noexcept {
  const int result = WEAVEFUZZ_REAL(socket)(domain, type, protocol);
  if (result < 0 || (domain != AF_UNIX && domain != AF_INET && domain != AF_INET6)) return result;
  Channel* channel = make_channel(ChannelKind::kSocket, result);
  if (channel == nullptr) return result;
  channel->is_network = domain != AF_UNIX;
  const int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (kind != SOCK_STREAM && kind != SOCK_SEQPACKET) become(*channel, ChannelKind::kDatagrams, result);
  return result;
}

extern "C" int socketpair(int domain, int type, int protocol, int sockets[2]) noexcept {
  const int result = WEAVEFUZZ_REAL(socketpair)(domain, type, protocol, sockets);
  if (result == 0) make_channel(ChannelKind::kPair, sockets[0], sockets[1]);
  return result;
}

extern "C" int listen(int socket, int backlog) noexcept {
  const int result = WEAVEFUZZ_REAL(listen)(socket, backlog);
  const File file = file_of(socket);
  if (result != 0 || file.channel == nullptr) return result;
  Channel& channel = *file.channel;
  channel.bound_size = sizeof channel.bound;
  system_call(SYS_getsockname, socket, reinterpret_cast<long>(&channel.bound),
              reinterpret_cast<long>(&channel.bound_size));
  channel.backlog = std::min(static_cast<std::uint32_t>(backlog), kMostBacklog);
  if (channel.kind != ChannelKind::kListener) become(channel, ChannelKind::kListener, socket);
  return result;
}

extern "C" int accept(int socket, sockaddr* address, socklen_t* length) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(accept, socket, address, length);
  return static_cast<int>(
      accept_one({"accept", WEAVEFUZZ_CALLER(), EventKind::kAccept, socket},
                 [&](int from, std::size_t) -> long { return WEAVEFUZZ_REAL(accept)(from, address, length); }));
}

extern "C" int accept4(int socket, sockaddr* address, socklen_t* length, int flags) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(accept4, socket, address, length, flags);
  return static_cast<int>(
      accept_one({"accept4", WEAVEFUZZ_CALLER(), EventKind::kAccept, socket},
                 [&](int from, std::size_t) -> long { return WEAVEFUZZ_REAL(accept4)(from, address, length, flags); }));
}

extern "C" int connect(int socket, const sockaddr* address, socklen_t length) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(connect, socket, address, length);
  const void* caller = WEAVEFUZZ_CALLER();
  const File file = file_of(socket);
  Target target;
  target.length = std::min<socklen_t>(length, sizeof target.address);
  std::memcpy(&target.address, address, target.length);
  Channel* listener = file.channel != nullptr && file.channel->kind == ChannelKind::kSocket
                          ? find_listener(listens_at, &target)
                          : nullptr;
  const Op op{
      .kind = EventKind::kConnect, .address = listener != nullptr ? listener->name : file.name(), .caller = caller};
  const int flags = status_flags(socket);
  const bool unwaiting = flags == -1 || (flags & O_NONBLOCK) != 0;
  if (listener == nullptr || unwaiting) {
    scheduler.reach(op);
  } else {
    QueueWait wait("connect", caller, *listener);
    wait.until_ready(op, kNever);
  }
  // It may have gone, or come, in the meantime.
  const bool connects = file.channel != nullptr && file.channel->kind == ChannelKind::kSocket;
  listener = connects ? find_listener(listens_at, &target) : nullptr;
  if (connects && listener == nullptr && file.channel->is_network && !unwaiting && !is_loopback(target.address))
    scheduler.refuse("connect", kWaitsForOutside, caller);
  if (listener != nullptr && file.channel->is_network && listener->waiting > listener->backlog)
    scheduler.refuse("connect", "not to wait for a place in a full queue of connections is not supported", caller);
  int result;
  {
    const bool asks = connects && !file.channel->is_network;
    const StatusFlags guard(socket, flags, asks ? flags | O_NONBLOCK : flags);
    result = WEAVEFUZZ_REAL(connect)(socket, address, length);
  }
  if (result != 0 && errno == EAGAIN && !unwaiting) scheduler.refuse("connect", kWaitsForOutside, caller);
  descriptors_changed();
  if (listener != nullptr && (result == 0 || errno == EINPROGRESS)) enqueue(*file.channel, *listener, socket);
  return result;
}

extern "C" int shutdown(int socket, int how) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(shutdown, socket, how);
  const File file = file_of(socket);
  scheduler.reach({.kind = EventKind::kClose, .address = file.name(), .caller = WEAVEFUZZ_CALLER()});
  release_to(file);
  const int result = WEAVEFUZZ_REAL(shutdown)(socket, how);
  descriptors_changed();
  if (result != 0 || file.channel == nullptr || !file.channel->tcp) return result;
  if (how != SHUT_WR) file.here().ended = true;
  if (how == SHUT_RD) return result;
  file.there().ended = true;
  if (file.there().arriving == 0 && file.there().descriptor != -1) await(file.there().descriptor, POLLRDHUP);
  return result;
}

}  // namespace weavefuzz::runtime
