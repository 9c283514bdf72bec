// Raw futex calls, and so std::atomic::wait, std::latch, std::barrier, std::counting_semaphore, std::future and the
// locks that libraries build for themselves. For threads under control, waiting is entirely a matter of the model.
// Wakes that are left over go to the kernel: a thread that was started before the run may wait there.
//
// A futex orders nothing that TSan should know of: the atomic operations around it do.
#include <linux/futex.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "instrumentation/runtime/interpose.h"
#include "instrumentation/runtime/sanitizers.h"
#include "instrumentation/runtime/system.h"

namespace weavefuzz::runtime {

namespace {

using Word = std::uint32_t;

struct FutexCall {
  Word* word;
  int command;  // without flags
  int flags;
  Word value;
  const timespec* timeout;
  int second_count;  // in the place of the time-out
  Word* second_word;
  Word third_value;
  const void* caller;

  int privately(int other_command) const { return other_command | (flags & FUTEX_PRIVATE_FLAG); }
};

// 0 if `word` holds `expected`, else why not, as a negative error code. The kernel knows what may be read.
long compare(const Word* word, Word expected) {
  const long address = reinterpret_cast<long>(word);
  return system_call(SYS_futex, address, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, address, expected);
}

// What `word` holds, if it is still there: a program may wake a word that it has given back.
bool read(const Word* word, Word& value) {
  const iovec to{&value, sizeof value};
  const iovec from{const_cast<Word*>(word), sizeof value};
  return system_call(SYS_process_vm_readv, system_call(SYS_getpid), reinterpret_cast<long>(&to), 1,
                     reinterpret_cast<long>(&from), 1) == sizeof value;
}

long wait(const FutexCall& call) {
  const bool absolute = call.command == FUTEX_WAIT_BITSET;
  const Word bits = absolute ? call.third_value : kAnyBits;
  if (bits == 0) return -EINVAL;
  std::uint64_t deadline = kNever;
  if (call.timeout != nullptr) {
    if (!is_valid(*call.timeout)) return -EINVAL;
    const clockid_t clock = (call.flags & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    deadline = absolute ? virtual_deadline(clock, *call.timeout) : virtual_deadline_after(*call.timeout);
  }
  Op op{.kind = EventKind::kFutexWait, .address = address_of(call.word), .caller = call.caller};
  scheduler.reach(op);
  if (const long error = compare(call.word, call.value); error != 0) return error;

  Object& object = scheduler.object(call.word);
  if (object.count != call.value) object.missed = 0;  // what was missed did not announce this value
  self->wait_mutex = nullptr;
  self->wait_order = scheduler.next_wait_order();
  op.kind = EventKind::kFutexWoken;
  const Readiness how =
      scheduler.reach(op, {.gate = Gate::kNotified, .bits = bits, .object = &object, .deadline = deadline});
  return how == Readiness::kTimeout ? -ETIMEDOUT : 0;
}

// Wakes up to `most` of the run's threads that wait at `object`; returns how many.
long wake_controlled(const Object& object, long most, Word bits) {
  if (most == INT_MAX) return static_cast<long>(scheduler.notify_all(object, bits));
  long woken = 0;
  for (; woken < most; ++woken) {
    Thread* waiter = scheduler.choose_waiter(object, bits);
    if (waiter == nullptr) break;
    scheduler.notify(*waiter);
  }
  return woken;
}

long wake(const FutexCall& call, Word* word, int most, Word bits) {
  if (bits == 0) return -EINVAL;
  most = std::max(most, 1);  // as the kernel has it
  Object& object = scheduler.object(word);
  const long woken = wake_controlled(object, most, bits);
  const long others = woken == most ? 0
                                    : system_call(SYS_futex, reinterpret_cast<long>(word),
                                                  call.privately(FUTEX_WAKE_BITSET), most - woken, 0, 0, bits);
  if (woken + others > 0) {
    object.missed = 0;
  } else if (others == 0 && read(word, object.count)) {
    ++object.missed;
  }
  return others < 0 ? others : woken + others;
}

long requeue(const FutexCall& call) {
  const int most_woken = static_cast<int>(call.value);
  const int most_moved = call.second_count;
  if (most_woken < 0 || most_moved < 0) return -EINVAL;
  if (call.command == FUTEX_CMP_REQUEUE) {
    if (const long error = compare(call.word, call.third_value); error != 0) return error;
  }
  Object& from = scheduler.object(call.word);
  Object& to = scheduler.object(call.second_word);
  const long woken = wake_controlled(from, most_woken, kAnyBits);
  long moved = 0;
  for (; &from != &to && moved < most_moved; ++moved) {
    Thread* waiter = scheduler.choose_waiter(from);
    if (waiter == nullptr) break;
    scheduler.requeue(*waiter, to);
  }
  const long others = system_call(SYS_futex, reinterpret_cast<long>(call.word), call.privately(FUTEX_REQUEUE),
                                  most_woken - woken, most_moved - moved, reinterpret_cast<long>(call.second_word));
  return others < 0 ? others : woken + moved + others;
}

// Changes the second word, wakes at the first and, if the second held what the call asks for, there, too.
long wake_and_change(const FutexCall& call) {
  const Word encoded = call.third_value;
  const auto signed_part = [&](int shift) {  // twelve bits
    return static_cast<int>(encoded << (20 - shift)) >> 20;
  };
  int operand = signed_part(12);
  const int comparand = signed_part(0);
  int operation = static_cast<int>(encoded >> 28);
  if ((operation & FUTEX_OP_OPARG_SHIFT) != 0) {
    operation &= ~FUTEX_OP_OPARG_SHIFT;
    operand = 1 << (operand & 31);
  }
  const int comparison = static_cast<int>(encoded >> 24 & 15);
  if (operation > FUTEX_OP_XOR || comparison > FUTEX_OP_CMP_GE) return -ENOSYS;
  Word held = 0;
  if (!read(call.second_word, held)) return -EFAULT;

  auto* second = reinterpret_cast<int*>(call.second_word);
  tsan_acquire(second);  // TSan does not see what the kernel does for a program
  tsan_release(second);
  int old = 0;
  switch (operation) {
    case FUTEX_OP_SET: old = __atomic_exchange_n(second, operand, __ATOMIC_SEQ_CST); break;
    case FUTEX_OP_ADD: old = __atomic_fetch_add(second, operand, __ATOMIC_SEQ_CST); break;
    case FUTEX_OP_OR: old = __atomic_fetch_or(second, operand, __ATOMIC_SEQ_CST); break;
    case FUTEX_OP_ANDN: old = __atomic_fetch_and(second, ~operand, __ATOMIC_SEQ_CST); break;
    default: old = __atomic_fetch_xor(second, operand, __ATOMIC_SEQ_CST); break;
  }
  bool also_second = false;
  switch (comparison) {
    case FUTEX_OP_CMP_EQ: also_second = old == comparand; break;
    case FUTEX_OP_CMP_NE: also_second = old != comparand; break;
    case FUTEX_OP_CMP_LT: also_second = old < comparand; break;
    case FUTEX_OP_CMP_GE: also_second = old >= comparand; break;
    case FUTEX_OP_CMP_LE: also_second = old <= comparand; break;
    default: also_second = old > comparand; break;
  }
  const long woken = wake(call, call.word, static_cast<int>(call.value), kAnyBits);
  if (woken < 0 || !also_second) return woken;
  const long woken_there = wake(call, call.second_word, call.second_count, kAnyBits);
  return woken_there < 0 ? woken_there : woken + woken_there;
}

}  // namespace

long futex(const long (&arguments)[6], const void* caller) {
  const int operation = static_cast<int>(arguments[1]);
  const FutexCall call{.word = reinterpret_cast<Word*>(arguments[0]),
                       .command = operation & FUTEX_CMD_MASK,
                       .flags = operation & ~FUTEX_CMD_MASK,
                       .value = static_cast<Word>(arguments[2]),
                       .timeout = reinterpret_cast<const timespec*>(arguments[3]),
                       .second_count = static_cast<int>(arguments[3]),
                       .second_word = reinterpret_cast<Word*>(arguments[4]),
                       .third_value = static_cast<Word>(arguments[5]),
                       .caller = caller};
  const bool takes_clock = call.command == FUTEX_WAIT_BITSET;
  if ((call.flags & FUTEX_CLOCK_REALTIME) != 0 && !takes_clock) return -ENOSYS;
  const Op wakes{.kind = EventKind::kFutexWake, .address = address_of(call.word), .caller = caller};
  switch (call.command) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: return wait(call);
    case FUTEX_WAKE: scheduler.reach(wakes); return wake(call, call.word, static_cast<int>(call.value), kAnyBits);
    case FUTEX_WAKE_BITSET:
      scheduler.reach(wakes);
      return wake(call, call.word, static_cast<int>(call.value), call.third_value);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE: scheduler.reach(wakes); return requeue(call);
    case FUTEX_WAKE_OP: scheduler.reach(wakes); return wake_and_change(call);
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_TRYLOCK_PI:
    case FUTEX_UNLOCK_PI:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_CMP_REQUEUE_PI: scheduler.refuse("futex", "priority-inheritance operations are not supported", caller);
    default: return -ENOSYS;
  }
}

}  // namespace weavefuzz::runtime
