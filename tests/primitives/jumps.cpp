// EXPECT: pass
// PRIMITIVES: setjmp, longjmp, sigsetjmp, siglongjmp, getcontext, makecontext, swapcontext
// Threads that jump on their own stack, or change it, are still the threads that they were.
#include <alloca.h>
#include <sched.h>
#include <setjmp.h>
#include <ucontext.h>

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int guarded;
thread_local int mine;

void touch() {
  const std::lock_guard lock(mutex);
  ++guarded;
}

[[noreturn]] void jump_back(jmp_buf& back, int value) {
  touch();
  longjmp(back, value);
}

void jump() {
  jmp_buf back;
  volatile int times = 0;
  if (setjmp(back) < 3) {
    times = times + 1;
    if (times < 4) jump_back(back, times);
  }
  assert(times == 3);
}

void jump_with_mask() {
  sigjmp_buf back;
  volatile int times = 0;
  if (sigsetjmp(back, 1) < 3) {
    times = times + 1;
    sched_yield();
    if (times < 4) siglongjmp(back, times);
  }
  assert(times == 3);
}

ucontext_t& outside() {
  static thread_local ucontext_t context;
  return context;
}

void inside() {
  touch();
  ++mine;
}

void change_stack() {
  const auto stack = std::make_unique<char[]>(64 * 1024);
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = stack.get();
  context.uc_stack.ss_size = 64 * 1024;
  context.uc_link = &outside();
  makecontext(&context, inside, 0);
  mine = 0;
  swapcontext(&outside(), &context);
  assert(mine == 1);
}

void use_much_stack() {
  for (std::size_t size = 1; size < 20; ++size) {
    auto* memory = static_cast<volatile char*>(alloca(size * 4000));
    memory[0] = 1;
    touch();
    assert(memory[0] == 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) {
  guarded = 0;
  const auto all = [] {
    jump();
    jump_with_mask();
    change_stack();
    use_much_stack();
  };
  std::thread first(all);
  std::thread second(all);
  all();
  first.join();
  second.join();
  assert(guarded == 3 * (3 + 1 + 19));
  return 0;
}
