// A coroutine's frame lives on the heap: its variables are shared, whether or not optimised.
// RUN: %clangxx %load -std=c++20 -O0 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s
// RUN: %clangxx %load -std=c++20 -O2 -g -S -emit-llvm -o - %s | %sites | %FileCheck --check-prefix=O2 %s

#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<> handle;
};

// CHECK: in _Z5countPi.resume: Write 4 count coroutine.cpp:[[#@LINE+7]]:7 [local]
// CHECK: in _Z5countPi.resume: Read 4 count coroutine.cpp:[[#@LINE+8]]:8 [local]
// CHECK: in _Z5countPi.resume: Write 4 count coroutine.cpp:[[#@LINE+7]]:6 [*p]
// O2: in _Z5countPi.resume: Write 4 count coroutine.cpp:[[#@LINE+6]]:6 [
Task count(int* p) {
  int local;
  local
      = *p;
  co_await std::suspend_always{};
  *p = local;
}
