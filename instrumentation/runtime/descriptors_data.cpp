// Bytes and messages: read, write, recv, send and their relatives.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "instrumentation/runtime/descriptors.h"
#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/system.h"

extern "C" {
// What headers make of a call when they check its buffer (_FORTIFY_SOURCE).
ssize_t __read_chk(int descriptor, void* buffer, size_t size, size_t room);
ssize_t __recv_chk(int socket, void* buffer, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int socket, void* buffer, size_t size, size_t room, int flags, sockaddr* address,
                       socklen_t* length);
[[noreturn]] void __chk_fail();
}

WEAVEFUZZ_DECLARE_REAL(read)
WEAVEFUZZ_DECLARE_REAL(readv)
WEAVEFUZZ_DECLARE_REAL(write)
WEAVEFUZZ_DECLARE_REAL(writev)
WEAVEFUZZ_DECLARE_REAL(recv)
WEAVEFUZZ_DECLARE_REAL(recvfrom)
WEAVEFUZZ_DECLARE_REAL(recvmsg)
WEAVEFUZZ_DECLARE_REAL(recvmmsg)
WEAVEFUZZ_DECLARE_REAL(send)
WEAVEFUZZ_DECLARE_REAL(sendto)
WEAVEFUZZ_DECLARE_REAL(sendmsg)
WEAVEFUZZ_DECLARE_REAL(sendmmsg)
WEAVEFUZZ_DECLARE_REAL(pread)
WEAVEFUZZ_DECLARE_REAL(pread64)
WEAVEFUZZ_DECLARE_REAL(preadv)
WEAVEFUZZ_DECLARE_REAL(preadv64)
WEAVEFUZZ_DECLARE_REAL(pwrite)
WEAVEFUZZ_DECLARE_REAL(pwrite64)
WEAVEFUZZ_DECLARE_REAL(pwritev)
WEAVEFUZZ_DECLARE_REAL(pwritev64)
WEAVEFUZZ_DECLARE_REAL(eventfd_read)
WEAVEFUZZ_DECLARE_REAL(eventfd_write)

namespace weavefuzz::runtime {

namespace {

std::size_t total(const iovec* parts, std::size_t count) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) size += parts[i].iov_len;
  return size;
}

// Writes what is left of `parts` after `done` bytes to `rest`, and returns how many parts that are.
std::size_t leave_out(std::size_t done, const iovec* parts, std::size_t count, iovec* rest) {
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t skipped = std::min(done, parts[i].iov_len);
    done -= skipped;
    if (skipped < parts[i].iov_len || parts[i].iov_len == 0)
      rest[used++] = {static_cast<char*>(parts[i].iov_base) + skipped, parts[i].iov_len - skipped};
  }
  return used;
}

constexpr std::size_t kMostParts = 1024;  // IOV_MAX

bool is_message_socket(int socket) {
  int type = SOCK_STREAM;
  socklen_t length = sizeof type;
  system_call(SYS_getsockopt, socket, SOL_SOCKET, SO_TYPE, reinterpret_cast<long>(&type),
              reinterpret_cast<long>(&length));
  return type != SOCK_STREAM;
}

bool is_unwaiting(int flags) { return (flags & MSG_DONTWAIT) != 0; }

ssize_t read_bytes(int descriptor, void* buffer, size_t size, const void* caller) {
  const DescriptorCall call{"read", caller, EventKind::kReceive, descriptor, size};
  const ssize_t result =
      scheduled_receive(call, [&](int from, std::size_t) -> long { return WEAVEFUZZ_REAL(read)(from, buffer, size); });
  if (result == sizeof(std::uint64_t)) {
    if (const File file = file_of(descriptor); file.channel != nullptr && file.channel->kind == ChannelKind::kTimer) {
      const std::uint64_t times = take_expirations(*file.channel);
      std::memcpy(buffer, &times, sizeof times);
    }
  }
  return result;
}

// MSG_WAITALL is a loop: other threads may send what is missing.
template <class Real>
ssize_t receive_bytes(const char* name, const void* caller, int socket, char* buffer, size_t size, int flags,
                      Real real) {
  if ((flags & MSG_ERRQUEUE) != 0) scheduler.refuse(name, "MSG_ERRQUEUE is not supported", caller);
  const bool peeks = (flags & MSG_PEEK) != 0;
  const bool all = (flags & MSG_WAITALL) != 0 && !is_unwaiting(flags);
  if (all && peeks) scheduler.refuse(name, "MSG_WAITALL together with MSG_PEEK is not supported", caller);
  std::size_t done = 0;
  for (;;) {
    const DescriptorCall call{name, caller, EventKind::kReceive, socket, size - done, is_unwaiting(flags), peeks};
    const long result = scheduled_receive(call, [&](int from, std::size_t) -> long {
      return real(from, buffer + done, size - done, flags & ~(MSG_WAITALL | MSG_DONTWAIT));
    });
    if (result < 0 && done == 0) return -1;
    if (result > 0) done += static_cast<std::size_t>(result);
    if (result <= 0 || done == size || !all || is_message_socket(socket)) return static_cast<ssize_t>(done);
  }
}

ssize_t recv_bytes(int socket, void* buffer, size_t size, int flags, const void* caller) {
  return receive_bytes(
      "recv", caller, socket, static_cast<char*>(buffer), size, flags,
      [](int from, char* to, size_t most, int how) { return WEAVEFUZZ_REAL(recv)(from, to, most, how); });
}

ssize_t recv_bytes_from(int socket, void* buffer, size_t size, int flags, sockaddr* address, socklen_t* length,
                        const void* caller) {
  return receive_bytes("recvfrom", caller, socket, static_cast<char*>(buffer), size, flags,
                       [&](int from, char* to, size_t most, int how) {
                         return WEAVEFUZZ_REAL(recvfrom)(from, to, most, how, address, length);
                       });
}

ssize_t receive_message(const char* name, const void* caller, int socket, msghdr* message, int flags) {
  if ((flags & (MSG_WAITALL | MSG_ERRQUEUE)) != 0 && !is_unwaiting(flags))
    scheduler.refuse(name, "MSG_WAITALL and MSG_ERRQUEUE are not supported here", caller);
  const DescriptorCall call{name,
                            caller,
                            EventKind::kReceive,
                            socket,
                            total(message->msg_iov, message->msg_iovlen),
                            is_unwaiting(flags),
                            (flags & MSG_PEEK) != 0};
  return scheduled_receive(call, [&](int from, std::size_t) -> long {
    return WEAVEFUZZ_REAL(recvmsg)(from, message, flags & ~(MSG_WAITALL | MSG_DONTWAIT));
  });
}

ssize_t send_message(const char* name, const void* caller, int socket, const msghdr* message, int flags) {
  const DescriptorCall call{
      name, caller, EventKind::kSend, socket, total(message->msg_iov, message->msg_iovlen), is_unwaiting(flags)};
  return scheduled_send(call, [&](int to, std::size_t done) -> long {
    if (done == 0) return WEAVEFUZZ_REAL(sendmsg)(to, message, flags);
    iovec rest[kMostParts];
    msghdr left = *message;
    left.msg_iovlen = leave_out(done, message->msg_iov, message->msg_iovlen, rest);
    left.msg_iov = rest;
    left.msg_control = nullptr;  // went with the first byte
    left.msg_controllen = 0;
    return WEAVEFUZZ_REAL(sendmsg)(to, &left, flags);
  });
}

}  // namespace

extern "C" ssize_t read(int descriptor, void* buffer, size_t size) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(read, descriptor, buffer, size);
  return read_bytes(descriptor, buffer, size, WEAVEFUZZ_CALLER());
}

extern "C" ssize_t __read_chk(int descriptor, void* buffer, size_t size, size_t room) {
  if (size > room) __chk_fail();
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(read, descriptor, buffer, size);
  return read_bytes(descriptor, buffer, size, WEAVEFUZZ_CALLER());
}

extern "C" ssize_t readv(int descriptor, const iovec* parts, int count) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(readv, descriptor, parts, count);
  const std::size_t size = count > 0 ? total(parts, static_cast<std::size_t>(count)) : 0;
  return scheduled_receive({"readv", WEAVEFUZZ_CALLER(), EventKind::kReceive, descriptor, size},
                           [&](int from, std::size_t) -> long { return WEAVEFUZZ_REAL(readv)(from, parts, count); });
}

extern "C" ssize_t recv(int socket, void* buffer, size_t size, int flags) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(recv, socket, buffer, size, flags);
  return recv_bytes(socket, buffer, size, flags, WEAVEFUZZ_CALLER());
}

extern "C" ssize_t __recv_chk(int socket, void* buffer, size_t size, size_t room, int flags) {
  if (size > room) __chk_fail();
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(recv, socket, buffer, size, flags);
  return recv_bytes(socket, buffer, size, flags, WEAVEFUZZ_CALLER());
}

extern "C" ssize_t recvfrom(int socket, void* buffer, size_t size, int flags, sockaddr* address, socklen_t* length) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(recvfrom, socket, buffer, size, flags, address, length);
  return recv_bytes_from(socket, buffer, size, flags, address, length, WEAVEFUZZ_CALLER());
}

extern "C" ssize_t __recvfrom_chk(int socket, void* buffer, size_t size, size_t room, int flags, sockaddr* address,
                                  socklen_t* length) {
  if (size > room) __chk_fail();
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(recvfrom, socket, buffer, size, flags, address, length);
  return recv_bytes_from(socket, buffer, size, flags, address, length, WEAVEFUZZ_CALLER());
}

extern "C" ssize_t recvmsg(int socket, msghdr* message, int flags) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(recvmsg, socket, message, flags);
  return receive_message("recvmsg", WEAVEFUZZ_CALLER(), socket, message, flags);
}

extern "C" int recvmmsg(int socket, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(recvmmsg, socket, messages, count, flags, timeout);
  if (timeout != nullptr) scheduler.refuse("recvmmsg", "a time-out is not supported here", WEAVEFUZZ_CALLER());
  unsigned done = 0;
  while (done < count) {
    const int how = (flags & ~MSG_WAITFORONE) | ((flags & MSG_WAITFORONE) != 0 && done > 0 ? MSG_DONTWAIT : 0);
    const ssize_t size = receive_message("recvmmsg", WEAVEFUZZ_CALLER(), socket, &messages[done].msg_hdr, how);
    if (size < 0) return done > 0 ? static_cast<int>(done) : -1;
    messages[done++].msg_len = static_cast<unsigned>(size);
  }
  return static_cast<int>(done);
}

extern "C" ssize_t write(int descriptor, const void* buffer, size_t size) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(write, descriptor, buffer, size);
  return scheduled_send({"write", WEAVEFUZZ_CALLER(), EventKind::kSend, descriptor, size},
                        [&](int to, std::size_t done) -> long {
                          return WEAVEFUZZ_REAL(write)(to, static_cast<const char*>(buffer) + done, size - done);
                        });
}

extern "C" ssize_t writev(int descriptor, const iovec* parts, int count) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(writev, descriptor, parts, count);
  const std::size_t used = count > 0 ? static_cast<std::size_t>(count) : 0;
  return scheduled_send({"writev", WEAVEFUZZ_CALLER(), EventKind::kSend, descriptor, total(parts, used)},
                        [&](int to, std::size_t done) -> long {
                          if (done == 0) return WEAVEFUZZ_REAL(writev)(to, parts, count);
                          iovec rest[kMostParts];
                          return WEAVEFUZZ_REAL(writev)(to, rest, static_cast<int>(leave_out(done, parts, used, rest)));
                        });
}

extern "C" ssize_t send(int socket, const void* buffer, size_t size, int flags) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(send, socket, buffer, size, flags);
  return scheduled_send({"send", WEAVEFUZZ_CALLER(), EventKind::kSend, socket, size, is_unwaiting(flags)},
                        [&](int to, std::size_t done) -> long {
                          return WEAVEFUZZ_REAL(send)(to, static_cast<const char*>(buffer) + done, size - done, flags);
                        });
}

extern "C" ssize_t sendto(int socket, const void* buffer, size_t size, int flags, const sockaddr* address,
                          socklen_t length) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sendto, socket, buffer, size, flags, address, length);
  return scheduled_send({"sendto", WEAVEFUZZ_CALLER(), EventKind::kSend, socket, size, is_unwaiting(flags)},
                        [&](int to, std::size_t done) -> long {
                          return WEAVEFUZZ_REAL(sendto)(to, static_cast<const char*>(buffer) + done, size - done, flags,
                                                        address, length);
                        });
}

extern "C" ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sendmsg, socket, message, flags);
  return send_message("sendmsg", WEAVEFUZZ_CALLER(), socket, message, flags);
}

extern "C" int sendmmsg(int socket, mmsghdr* messages, unsigned count, int flags) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(sendmmsg, socket, messages, count, flags);
  unsigned done = 0;
  while (done < count) {
    const ssize_t size = send_message("sendmmsg", WEAVEFUZZ_CALLER(), socket, &messages[done].msg_hdr, flags);
    if (size < 0) return done > 0 ? static_cast<int>(done) : -1;
    messages[done++].msg_len = static_cast<unsigned>(size);
  }
  return static_cast<int>(done);
}

extern "C" int eventfd_read(int descriptor, eventfd_t* value) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(eventfd_read, descriptor, value);
  return static_cast<int>(
      scheduled_receive({"eventfd_read", WEAVEFUZZ_CALLER(), EventKind::kReceive, descriptor, sizeof *value},
                        [&](int from, std::size_t) -> long { return WEAVEFUZZ_REAL(eventfd_read)(from, value); }));
}

extern "C" int eventfd_write(int descriptor, eventfd_t value) {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(eventfd_write, descriptor, value);
  return static_cast<int>(
      scheduled_send({"eventfd_write", WEAVEFUZZ_CALLER(), EventKind::kSend, descriptor, 0},
                     [&](int to, std::size_t) -> long { return WEAVEFUZZ_REAL(eventfd_write)(to, value); }));
}

// Files only, so that these never wait; but their order matters.
#define WEAVEFUZZ_FILE_CALL(call, event, parameters, arguments)                                            \
  extern "C" ssize_t call parameters {                                                                     \
    if (self != nullptr)                                                                                   \
      scheduler.reach({.kind = EventKind::event, .address = File{}.name(), .caller = WEAVEFUZZ_CALLER()}); \
    return WEAVEFUZZ_REAL(call) arguments;                                                                 \
  }
WEAVEFUZZ_FILE_CALL(pread, kReceive, (int file, void* buffer, size_t size, off_t at), (file, buffer, size, at))
WEAVEFUZZ_FILE_CALL(pread64, kReceive, (int file, void* buffer, size_t size, off64_t at), (file, buffer, size, at))
WEAVEFUZZ_FILE_CALL(preadv, kReceive, (int file, const iovec* parts, int count, off_t at), (file, parts, count, at))
WEAVEFUZZ_FILE_CALL(preadv64, kReceive, (int file, const iovec* parts, int count, off64_t at), (file, parts, count, at))
WEAVEFUZZ_FILE_CALL(pwrite, kSend, (int file, const void* buffer, size_t size, off_t at), (file, buffer, size, at))
WEAVEFUZZ_FILE_CALL(pwrite64, kSend, (int file, const void* buffer, size_t size, off64_t at), (file, buffer, size, at))
WEAVEFUZZ_FILE_CALL(pwritev, kSend, (int file, const iovec* parts, int count, off_t at), (file, parts, count, at))
WEAVEFUZZ_FILE_CALL(pwritev64, kSend, (int file, const iovec* parts, int count, off64_t at), (file, parts, count, at))
#undef WEAVEFUZZ_FILE_CALL

}  // namespace weavefuzz::runtime
