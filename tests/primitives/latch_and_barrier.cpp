// EXPECT: pass
// PRIMITIVES: std::latch, std::barrier
// What is written before a latch or barrier is seen after it.
#include <array>
#include <barrier>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <thread>

namespace {

void counts_down() {
  std::latch done(3);
  std::array<int, 3> values{};
  std::thread first([&] {
    values[0] = 1;
    done.count_down();
  });
  std::thread second([&] {
    values[1] = 1;
    done.arrive_and_wait();
    assert(values[0] == 1 && values[2] == 1);
  });
  values[2] = 1;
  done.count_down();
  done.wait();
  assert(done.try_wait());
  assert(values[0] + values[1] == 2);
  first.join();
  second.join();
}

void goes_through_phases() {
  constexpr std::size_t kThreads = 3;
  std::array<int, kThreads> values{};
  int sum = 0;  // of the last phase; only the completion writes it
  std::barrier barrier(kThreads, [&]() noexcept {
    sum = 0;
    for (const int value : values) sum += value;
  });
  const auto work = [&](std::size_t number) {
    for (int phase = 1; phase <= 2; ++phase) {
      values[number] = phase;
      if (phase == 1) {
        barrier.arrive_and_wait();
      } else {
        barrier.wait(barrier.arrive());
      }
      assert(sum == phase * static_cast<int>(kThreads));
      barrier.arrive_and_wait();  // nobody goes on before all have looked
    }
  };
  std::thread first(work, 1);
  std::thread second(work, 2);
  work(0);
  first.join();
  second.join();
}

void drops_out() {
  int completions = 0;
  std::barrier barrier(2, [&]() noexcept { ++completions; });
  int value = 0;
  std::thread other([&] {
    value = 1;
    barrier.arrive_and_drop();
  });
  barrier.arrive_and_wait();
  assert(value == 1 && completions == 1);
  barrier.arrive_and_wait();  // alone now
  assert(completions == 2);
  other.join();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switch (size > 0 ? data[0] % 3 : 0) {
    case 0: counts_down(); break;
    case 1: goes_through_phases(); break;
    default: drops_out();
  }
  return 0;
}
