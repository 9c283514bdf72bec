// EXPECT: pass
// PRIMITIVES: volatile
// Busy waits on plain variables, as old code has them, do not hang. TSan is told to look away; race_spin_plain.cpp is
// the same without that.
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>

#define UNCHECKED __attribute__((no_sanitize("thread"), noinline))

namespace {

struct Hand {
  volatile int turn = 0;
  int value = 0;
};

UNCHECKED int look(const Hand& hand) { return hand.turn; }
UNCHECKED void pass(Hand& hand, int turn) {
  hand.value += turn;
  hand.turn = turn;
}
UNCHECKED int value_of(const Hand& hand) { return hand.value; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t*, size_t) {
  Hand hand;
  const auto wait_and_pass = [&](int from, int to) {
    while (look(hand) != from) {
    }
    pass(hand, to);
  };
  std::thread third(wait_and_pass, 2, 3);
  std::thread second(wait_and_pass, 1, 2);
  pass(hand, 1);
  while (look(hand) != 3) {
  }
  assert(value_of(hand) == 6);
  second.join();
  third.join();
  return 0;
}
