// All logical threads on one OS thread. A switch changes the stack and the thread pointer.
#include <elf.h>
#include <sys/auxv.h>

#include <cstdint>

#include "instrumentation/runtime/threads.h"

namespace weavefuzz::runtime {

#if defined(__x86_64__)

// Saves what the ABI lets a callee keep, and the floating-point control words; loads the other's, the control
// words only where they differ: to load them is slow.
extern "C" void weavefuzz_switch(void** save_stack, void* load_stack, void* thread_pointer);
// First frame of a logical thread: its Thread is in rbx. Unwinding ends here.
extern "C" void weavefuzz_enter_thread();

asm(R"(
  .text
  .globl weavefuzz_switch
  .hidden weavefuzz_switch
  .type weavefuzz_switch, @function
weavefuzz_switch:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movl (%rsp), %eax
  movzwl 4(%rsp), %ecx
  movq %rsi, %rsp
  wrfsbase %rdx
  cmpl (%rsp), %eax
  jne 1f
  cmpw 4(%rsp), %cx
  jne 1f
0:
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
1:
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  jmp 0b
  .cfi_endproc
  .size weavefuzz_switch, .-weavefuzz_switch

  .globl weavefuzz_enter_thread
  .hidden weavefuzz_enter_thread
  .type weavefuzz_enter_thread, @function
weavefuzz_enter_thread:
  .cfi_startproc
  .cfi_undefined rip
  xorl %ebp, %ebp
  movq %rbx, %rdi
  call weavefuzz_logical_thread
  ud2
  .cfi_endproc
  .size weavefuzz_enter_thread, .-weavefuzz_enter_thread
)");

namespace {

// What weavefuzz_switch pops, from the lowest address up.
struct SwitchFrame {
  std::uint32_t mxcsr;
  std::uint16_t x87_control;
  std::uint16_t unused;
  std::uint64_t r15, r14, r13, r12, rbx, rbp;
  void (*return_address)();
};

class CarrierSwitcher final : public Switcher {
 public:
  void prepare(Identity& to) override {
    // After `ret` the stack is aligned as before a call.
    auto* frame = reinterpret_cast<SwitchFrame*>(to.stack_base - sizeof(SwitchFrame));
    *frame = SwitchFrame{};
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(frame->mxcsr), "=m"(frame->x87_control));  // inherited
    frame->rbx = reinterpret_cast<std::uint64_t>(to.thread);
    frame->return_address = weavefuzz_enter_thread;
    to.stack_pointer = frame;
  }
  void pass(Identity& from, Identity& to) override {
    weavefuzz_switch(&from.stack_pointer, to.stack_pointer, to.thread_pointer);
  }
  void leave(Identity& from, Identity& to) override { pass(from, to); }
};

constinit CarrierSwitcher switcher;

// The kernel has user-mode thread-pointer writes on.
bool has_fsgsbase() { return (getauxval(AT_HWCAP2) & 2) != 0; }

// A hardware shadow stack would have to be switched too. rdssp does nothing where there is none.
bool has_shadow_stack() {
  std::uint64_t shadow_stack_pointer = 0;
  asm volatile("rdsspq %0" : "+r"(shadow_stack_pointer));
  return shadow_stack_pointer != 0;
}

}  // namespace

const char* carrier_unavailable() {
  if (!has_fsgsbase()) return "the CPU or kernel does not let a program set its thread pointer (FSGSBASE)";
  if (has_shadow_stack()) return "this process has a hardware shadow stack";
  return nullptr;
}

Switcher& carrier_switcher() { return switcher; }

#else

const char* carrier_unavailable() { return "it is written for x86-64 only so far"; }
Switcher& carrier_switcher() { return os_switcher(); }

#endif

}  // namespace weavefuzz::runtime
