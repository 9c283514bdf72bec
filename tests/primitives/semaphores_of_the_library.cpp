// EXPECT: pass
// PRIMITIVES: std::counting_semaphore, std::binary_semaphore
// A bounded buffer over std::counting_semaphore, and every way to acquire one.
#include <array>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <thread>

namespace {

using namespace std::chrono_literals;

void passes_values() {
  std::counting_semaphore<2> room(2);
  std::counting_semaphore<2> filled(0);
  std::array<int, 2> slots{};
  std::thread producer([&] {
    for (int i = 0; i < 3; ++i) {
      room.acquire();
      slots[static_cast<std::size_t>(i % 2)] = i + 1;
      filled.release();
    }
  });
  for (int i = 0; i < 3; ++i) {
    filled.acquire();
    assert(slots[static_cast<std::size_t>(i % 2)] == i + 1);
    room.release();
  }
  producer.join();
}

void releases_several() {
  std::counting_semaphore<8> start(0);
  int value = 0;
  const auto wait = [&] {
    start.acquire();
    assert(value == 1);
  };
  std::thread first(wait);
  std::thread second(wait);
  value = 1;
  start.release(2);
  first.join();
  second.join();
  assert(!start.try_acquire());
}

void gives_up() {
  const auto ready = std::make_unique<std::binary_semaphore>(0);
  int value = 0;
  std::thread other([&] {
    value = 1;
    ready->release();
  });
  const auto before = std::chrono::steady_clock::now();
  bool got = ready->try_acquire_for(10ms);
  assert(got || std::chrono::steady_clock::now() - before >= 10ms);
  if (!got) got = ready->try_acquire_until(std::chrono::steady_clock::now() + 1s);
  if (!got) got = ready->try_acquire_until(std::chrono::system_clock::now() + 1s);
  if (!got) got = ready->try_acquire();
  if (!got) ready->acquire();
  assert(value == 1);
  other.join();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switch (size > 0 ? data[0] % 3 : 0) {
    case 0: passes_values(); break;
    case 1: releases_several(); break;
    default: gives_up();
  }
  return 0;
}
