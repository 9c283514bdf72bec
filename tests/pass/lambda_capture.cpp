// What a lambda captures by reference and takes to another thread is shared, in both functions.
// RUN: %clangxx %load -O0 -g -S -emit-llvm -o - %s | %sites | %FileCheck %s

#include <thread>

// CHECK-DAG: in main: Write 4 main lambda_capture.cpp:[[#@LINE+4]]:7 [shared]
// CHECK-DAG: Read 4 main::{lambda} lambda_capture.cpp:[[#@LINE+6]]:43 [shared]
// CHECK-DAG: Write 4 main::{lambda} lambda_capture.cpp:[[#@LINE+5]]:43 [shared]
int main() {
  int shared = 0;
  int alone = 0;
  alone = 1;
  std::thread thread([&shared] { int own; ++shared; own = 1; (void)own; });
  thread.join();
  return shared + alone;
}
