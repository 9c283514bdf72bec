// Locks on files. Those of flock belong to what a descriptor leads to, so that threads exclude each other; those of
// lockf and fcntl belong to the process.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "instrumentation/runtime/descriptors.h"
#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/sanitizers.h"

WEAVEFUZZ_DECLARE_REAL(flock)
WEAVEFUZZ_DECLARE_REAL(lockf)
WEAVEFUZZ_DECLARE_REAL(lockf64)

namespace weavefuzz::runtime {

namespace {

std::uint64_t releases = 0;  // of any lock

// Waits until some lock was released: the kernel does not say which.
class ReleaseWait final : public Wait {
 public:
  using Wait::Wait;

 private:
  bool ask() override { return releases != seen_; }

  std::uint64_t seen_ = releases;
};

template <class Offset, class Real>
int lock_file(int file, int command, Offset size, const void* caller, Real real) {
  if (self == nullptr || command != F_LOCK) return real(file, command, size);
  const int result = real(file, F_TLOCK, size);
  if (result == 0 || (errno != EAGAIN && errno != EACCES)) return result;
  scheduler.refuse("lockf", kWaitsForOutside, caller);
}

}  // namespace

void file_lock_released() {
  ++releases;
  tsan_release(&releases);
}

extern "C" int flock(int file, int operation) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(flock, file, operation);
  const Op op{.kind = EventKind::kFileLock, .address = file_of(file).name(), .caller = WEAVEFUZZ_CALLER()};
  if ((operation & LOCK_NB) != 0) before_unwaiting_call();
  scheduler.reach(op);
  for (;;) {
    if ((operation & LOCK_UN) != 0) file_lock_released();
    const int result = WEAVEFUZZ_REAL(flock)(file, operation | LOCK_NB);
    if (result == 0) {
      tsan_acquire(&releases);
      if ((operation & LOCK_SH) != 0) file_lock_released();  // it may have been an exclusive one
      descriptors_changed();
      return 0;
    }
    if (errno != EWOULDBLOCK) return -1;
    if ((operation & LOCK_NB) != 0) {
      nothing_to_do();
      return -1;
    }
    ReleaseWait wait("flock", op.caller);
    wait.until_ready(op, kNever);
  }
}

extern "C" int lockf(int file, int command, off_t size) {
  return lock_file(file, command, size, WEAVEFUZZ_CALLER(), WEAVEFUZZ_REAL(lockf));
}

extern "C" int lockf64(int file, int command, off64_t size) {
  return lock_file(file, command, size, WEAVEFUZZ_CALLER(), WEAVEFUZZ_REAL(lockf64));
}

}  // namespace weavefuzz::runtime
