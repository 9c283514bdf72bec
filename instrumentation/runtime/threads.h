// Identities and how control passes between them: two backends, one interface.
//
// An identity is a real pthread that waits, parked, for a logical thread to use its stack, its thread
// pointer and so everything that hangs on it: thread_local variables, errno, pthread_self, the
// sanitizers' own state. Identities are made once and reused from run to run.
#pragma once
#include <pthread.h>
#include <unistd.h>

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "instrumentation/runtime/runtime.h"

namespace weavefuzz::runtime {

struct Thread;

inline constexpr std::size_t kMaxKeys = 1024;  // PTHREAD_KEYS_MAX

// What the process and the engine may have on the stack of the harness's own thread: arguments, environment, frames.
inline constexpr std::size_t kRoomForMain = std::size_t{256} << 10;

struct Identity {
  pthread_t handle{};
  pid_t parked_number = 0;  // the kernel's, of a parked thread; 0: of the thread that calls run()
  void* thread_pointer = nullptr;
  Thread** self = nullptr;     // that thread's own `self`
  char* stack_base = nullptr;  // a logical thread's first frame lies just below, or kRoomForMain below
  std::size_t stack_size = 0;
  void* stack_pointer = nullptr;   // carrier: where to resume
  std::uint32_t baton = 0;         // OS backend: 1 when it may run
  std::uint32_t parked = 0;        // 1 once all of the above is set
  Thread* thread = nullptr;        // who uses it
  std::bitset<kMaxKeys> own_keys;  // pthread keys that the platform itself had set: not the program's
  char happens_before = 0;         // its address carries create and join edges to TSan
  Identity* next = nullptr;

  // What gettid() answers. The calling thread's own may change, in a fork.
  pid_t number() const { return parked_number != 0 ? parked_number : static_cast<pid_t>(getpid()); }
};

// Makes the identity of the calling thread, which needs no parking.
void adopt_calling_thread(Identity& identity);

// An unused identity with at least `stack_size` bytes of stack (0: any); makes one if need be.
// nullptr if the system gives no more threads.
Identity* take_identity(std::size_t stack_size);
// All identities are unused again. A run takes them in the same order as every other run. None is reused
// within a run: to TSan, its second thread would be ordered after its first.
void release_all_identities();
// Never uses the identities made so far again.
void abandon_identities();
class Switcher {
 public:
  // Prepares `to` so that the next switch to it enters `entry(thread)` on its own stack.
  virtual void prepare(Identity& to) = 0;
  virtual void pass(Identity& from, Identity& to) = 0;
  // Like pass, from a logical thread that has ended. The OS backend returns, to park the thread.
  virtual void leave(Identity& from, Identity& to) = 0;

 protected:
  ~Switcher() = default;  // never destroyed through this class, nor at exit, when threads may still run
};

Switcher& carrier_switcher();
Switcher& os_switcher();

// The body of every logical thread; defined by the scheduler. Returns only on the OS backend.
// An exception that nothing catches ends there, too, with the stack as it was thrown.
extern "C" void weavefuzz_logical_thread(Thread* thread);

}  // namespace weavefuzz::runtime
