// EXPECT: pass
// PRIMITIVES: thread_local
// thread_local variables: fresh in each thread and each run, destroyed last made first when the thread ends.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace {

thread_local int plain = 5;
thread_local std::vector<char>* order = nullptr;

struct Named {
  explicit Named(char name) : letter(name), text(100, name) {}
  ~Named() { order->push_back(letter); }
  char letter;
  std::string text;
};

char touch_first() {
  thread_local Named first('a');
  return first.text[0];
}

char touch_second() {
  thread_local Named second('b');
  return second.text[99];
}

thread_local std::string global_text = "fresh";

void work(std::vector<char>& destroyed) {
  order = &destroyed;
  assert(plain++ == 5);
  assert(global_text == "fresh");
  global_text += " no more, and longer than a string that lives inside its object";
  assert(touch_first() == 'a');
  assert(touch_second() == 'b');
  assert(plain == 6);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  std::vector<char> destroyed[2];
  std::thread first(work, std::ref(destroyed[0]));
  std::thread second(work, std::ref(destroyed[1]));
  first.join();
  second.join();
  for (const std::vector<char>& letters : destroyed) assert((letters == std::vector<char>{'b', 'a'}));
  assert(plain == 5);
  return 0;
}
