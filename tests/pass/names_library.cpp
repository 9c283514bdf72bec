// What lies behind the library's pointers and containers has the name of the object that holds it.
// RUN: %clangxx %load -std=c++20 -O0 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s
// RUN: %clangxx %load -std=c++20 -O2 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s

#include <memory>
#include <thread>
#include <vector>

struct Config {
  int limit;
  std::vector<int> list;
};
std::vector<int> numbers;
std::unique_ptr<int> owned;
std::shared_ptr<Config> config;

// CHECK-DAG: in _Z3alli: Write 4 all names_library.cpp:{{.*}} [numbers[]]
// CHECK-DAG: in _Z3alli: Write 4 all names_library.cpp:{{.*}} [*owned]
// CHECK-DAG: in _Z3alli: Write 4 all names_library.cpp:{{.*}} [Config::limit]
// CHECK-DAG: in _Z3alli: Write 4 all names_library.cpp:{{.*}} [Config::list[]]
void all(int i) {
  numbers[i] = i;
  *owned = i;
  config->limit = i;
  config->list[i] = i;
}

// CHECK-DAG: Write 4 in_thread::{lambda} names_library.cpp:[[#@LINE+3]]:{{.*}} [result]
int in_thread() {
  int result = 0;
  std::thread thread([&result] { result = 1; });
  thread.join();
  return result;
}
