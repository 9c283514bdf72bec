// Barriers. Waiting is entirely a matter of the model: the real barrier can only be waited at, and only says how many
// threads it takes.
#include <pthread.h>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/sanitizers.h"

WEAVEFUZZ_DECLARE_REAL(pthread_barrier_init)
WEAVEFUZZ_DECLARE_REAL(pthread_barrier_destroy)
WEAVEFUZZ_DECLARE_REAL(pthread_barrier_wait)

namespace weavefuzz::runtime {

namespace {

// How glibc lays out a pthread_barrier_t.
struct RealBarrier {
  unsigned arrived;
  unsigned round;
  unsigned participants;
};
static_assert(sizeof(RealBarrier) <= sizeof(pthread_barrier_t));

Object& model_of(pthread_barrier_t* barrier) {
  Object& object = scheduler.object(barrier);
  object.noun = "barrier";
  return object;
}

}  // namespace

extern "C" int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                    unsigned count) noexcept {
  if (self != nullptr) scheduler.forget_object(barrier);
  return WEAVEFUZZ_REAL(pthread_barrier_init)(barrier, attributes, count);
}

// As glibc's, it waits for threads that are still inside, even if they wait for others to come.
extern "C" int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_barrier_destroy, barrier);
  Object& object = model_of(barrier);
  const auto is_empty = [](const void* context) {
    return !scheduler.is_awaited(Gate::kReached, *static_cast<const Object*>(context));
  };
  if (!is_empty(&object))
    scheduler.reach({.kind = EventKind::kBarrierLeave, .address = address_of(barrier), .caller = WEAVEFUZZ_CALLER()},
                    {.gate = Gate::kAsked, .object = &object, .holds = is_empty, .context = &object});
  scheduler.forget_object(barrier);
  return WEAVEFUZZ_REAL(pthread_barrier_destroy)(barrier);
}

extern "C" int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  WEAVEFUZZ_FORWARD_UNLESS_CONTROLLED(pthread_barrier_wait, barrier);
  const auto& real = reinterpret_cast<const RealBarrier&>(*barrier);
  if (real.participants == 0)
    scheduler.finding(Verdict::kUndefinedBehaviour, "a thread waits at a barrier that was never initialised");
  if (real.arrived % real.participants != 0)
    scheduler.refuse("pthread_barrier_wait", "a thread that is not under control waits at the barrier",
                     WEAVEFUZZ_CALLER());
  Object& object = model_of(barrier);
  scheduler.reach({.kind = EventKind::kBarrierArrive, .address = address_of(barrier), .caller = WEAVEFUZZ_CALLER()});
  const std::uint32_t round = object.count / real.participants;
  const std::uint32_t goal = (round + 1) * real.participants;
  // To TSan each round is an object of its own: who leaves late has not met those that have come for the next one.
  void* const order = reinterpret_cast<char*>(barrier) + round % sizeof *barrier;
  tsan_release(order);
  const bool is_last = ++object.count == goal;
  scheduler.reach({.kind = EventKind::kBarrierLeave, .address = address_of(barrier), .caller = WEAVEFUZZ_CALLER()},
                  {.gate = Gate::kReached, .object = &object, .goal = goal});
  tsan_acquire(order);
  return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

}  // namespace weavefuzz::runtime
