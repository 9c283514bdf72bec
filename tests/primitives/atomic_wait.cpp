// EXPECT: pass
// PRIMITIVES: std::atomic::wait, std::atomic::notify_one, std::atomic::notify_all, std::atomic_flag, std::atomic_ref
// Hand-overs by std::atomic::wait, on values of every size: the library waits on those of four bytes directly, on
// others through a table that unrelated variables share.
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

namespace {

// Two threads in turn write to a variable that only the order protects.
template <class T>
void take_turns() {
  const auto turn = std::make_unique<std::atomic<T>>(T{0});
  int value = 0;
  std::thread other([&] {
    turn->wait(T{0}, std::memory_order_acquire);
    assert(value == 1);
    ++value;
    turn->store(T{2}, std::memory_order_release);
    turn->notify_one();
  });
  value = 1;
  turn->store(T{1}, std::memory_order_release);
  turn->notify_one();
  turn->wait(T{1}, std::memory_order_acquire);
  assert(value == 2);
  other.join();
}

void notifies_all() {
  std::atomic<uint64_t> go{0};
  std::atomic<int> here{0};
  int value = 0;
  const auto wait = [&] {
    go.wait(0);
    assert(value == 1);
    here.fetch_add(1);
    here.notify_all();
  };
  std::thread first(wait);
  std::thread second(wait);
  value = 1;
  go = 1;
  go.notify_all();
  for (int seen = here; seen != 2; seen = here) here.wait(seen);
  first.join();
  second.join();
}

void waits_on_a_flag() {
  std::atomic_flag flag;
  int value = 0;
  std::thread setter([&] {
    value = 1;
    flag.test_and_set(std::memory_order_release);
    flag.notify_all();
  });
  flag.wait(false, std::memory_order_acquire);
  assert(value == 1);
  setter.join();
}

void waits_on_a_reference() {
  alignas(std::atomic_ref<int>::required_alignment) int plain = 0;
  int value = 0;
  std::thread setter([&] {
    const std::atomic_ref<int> word(plain);
    value = 1;
    word.store(1, std::memory_order_release);
    word.notify_one();
  });
  std::atomic_ref<int>(plain).wait(0, std::memory_order_acquire);
  assert(value == 1);
  setter.join();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switch (size > 0 ? data[0] % 6 : 0) {
    case 0: take_turns<int>(); break;
    case 1: take_turns<uint64_t>(); break;
    case 2: take_turns<uint8_t>(); break;
    case 3: notifies_all(); break;
    case 4: waits_on_a_flag(); break;
    default: waits_on_a_reference();
  }
  return 0;
}
