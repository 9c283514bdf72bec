// What libstdc++ does with atomic operations in its own compiled code. TSan sees none of them, and would report races
// between threads that they order; so it is told of them here. They are in two places: results that become ready when
// a thread has ended, and reference counts of exceptions. Everything else in <future> is code of the program.
#include <dlfcn.h>
#include <unwind.h>

#include <condition_variable>
#include <cstddef>
#include <future>
#include <memory>

#include "instrumentation/runtime/sanitizers.h"

namespace weavefuzz::runtime {

namespace {

// An update that both acquires and releases is about to happen where TSan does not see it.
void tell_of_update(void* address) {
  tsan_acquire(address);
  tsan_release(address);
}

// The function of libstdc++ that the one with this name stands in for.
template <class Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// --- std::promise::set_value_at_thread_exit and relatives ---

using State = std::__future_base::_State_baseV2;

// The status of a state is private; access is not checked in an explicit instantiation.
template <auto member>
struct StatusOf {
  friend void* status_of(State& state) { return &(state.*member); }
};
void* status_of(State& state);
template struct StatusOf<&State::_M_status>;

// libstdc++'s _Make_ready, and what its std::weak_ptr points to.
struct Counts {
  void* virtual_table;
  int uses;
  int weak_uses;
};
struct MakeReady : std::__at_thread_exit_elt {
  State* state;
  Counts* counts;
};
static_assert(sizeof(MakeReady) == sizeof(std::__at_thread_exit_elt) + sizeof(std::weak_ptr<State>));

void (*make_ready)(void*) = nullptr;

void tell_and_make_ready(void* memory) {
  const MakeReady& it = *static_cast<MakeReady*>(memory);
  if (it.counts != nullptr) {
    if (__atomic_load_n(&it.counts->uses, __ATOMIC_RELAXED) > 0) tell_of_update(status_of(*it.state));
    tell_of_update(&it.counts->uses);
    tell_of_update(&it.counts->weak_uses);
  }
  make_ready(memory);
}

// --- Exceptions that several threads hold ---

// What lies before the header of an exception that std::rethrow_exception threw (Itanium C++ ABI).
struct DependentException {
  void* primary;  // the exception itself
  void* padding;
  void* handlers[2];
  void* next;
  int handler_count;
  int handler_switch_value;
  void* handler_state[4];
  _Unwind_Exception header;
};
constexpr _Unwind_Exception_Class kPrimaryClass = 0x474E'5543'432B'2B00;    // "GNUCC++\0"
constexpr _Unwind_Exception_Class kDependentClass = 0x474E'5543'432B'2B01;  // "GNUCC++\x01"

}  // namespace

#define WEAVEFUZZ_MAKE_READY_SET "_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv"
#define WEAVEFUZZ_EXCEPTION_RELEASE "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"

extern "C" {

// _Make_ready::_M_set(): has `it` called when the thread ends.
void make_ready_at_thread_exit(MakeReady* it) asm(WEAVEFUZZ_MAKE_READY_SET);
void make_ready_at_thread_exit(MakeReady* it) {
  static const auto real = next_function<void(MakeReady*)>(WEAVEFUZZ_MAKE_READY_SET);
  real(it);
  make_ready = it->_M_cb;
  it->_M_cb = tell_and_make_ready;
}

// std::exception_ptr::_M_release(): gives up one reference.
void release_exception(void** pointer) noexcept asm(WEAVEFUZZ_EXCEPTION_RELEASE);
void release_exception(void** pointer) noexcept {
  static const auto real = next_function<void(void**)>(WEAVEFUZZ_EXCEPTION_RELEASE);
  tell_of_update(*pointer);
  real(pointer);
}

// The end of a catch block gives up one, too.
void _Unwind_DeleteException(_Unwind_Exception* exception) {
  if (exception->exception_class == kPrimaryClass) {
    tell_of_update(exception + 1);
  } else if (exception->exception_class == kDependentClass) {
    char* header = reinterpret_cast<char*>(exception);
    tell_of_update(reinterpret_cast<DependentException*>(header - offsetof(DependentException, header))->primary);
  }
  if (exception->exception_cleanup != nullptr) exception->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, exception);
}
}

}  // namespace weavefuzz::runtime
