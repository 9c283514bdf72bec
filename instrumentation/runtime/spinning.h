// Threads that go in circles: they look at the same things over and over, change nothing, and wait for another
// thread to do so. Knows events, not threads, so that it is tested with arrays.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "instrumentation/runtime/runtime.h"

namespace weavefuzz::runtime {

// Where a thread's own variables lie.
struct StackRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// The circle that one thread goes in, if it does. First it is suspected, from what the thread did last: whether an
// update such as a compare-exchange changed anything cannot be seen from there. Then it is followed, event by event.
class Circle {
 public:
  static constexpr std::size_t kMostPlaces = 32;      // in one round
  static constexpr std::uint32_t kSuspicious = 64;    // events that must look like a circle ...
  static constexpr std::size_t kLookBack = 1024;      // ... among so many of all threads
  static constexpr std::uint32_t kConvincing = 32;    // further events that must be one
  static constexpr std::uint32_t kLargestValue = 16;  // bytes that an update may touch

  bool suspected() const { return count_ > 0; }
  // It is one, and the thread stands at a point where it holds no lock that it takes on the way.
  bool closed() const { return followed_ >= kConvincing && held_ == 0; }
  bool reads_clock() const { return reads_clock_; }
  // Something in it may change what we cannot see.
  bool opaque() const { return opaque_; }

  // Looks for one in what `thread` did last. Returns suspected(). A thread that yields or reads the clock on its way
  // says that it waits: what it then notes on its own stack, such as the time, is no change.
  bool suspect(std::span<const RawEvent> events, std::uint16_t thread, StackRange stack = {});
  // Is this one of its places?
  bool contains(const weavefuzz_site* site, std::uintptr_t address, EventKind kind) const;
  // The thread's next event; if that is something new or changes something, the circle is left.
  void follow(const RawEvent& event);
  // Another thread's event: does it change what is looked at here?
  bool is_disturbed_by(const RawEvent& event) const;
  // It was disturbed: it must convince once more.
  void doubt() { followed_ = 0; }
  void leave() {
    count_ = followed_ = held_ = 0;
    reads_clock_ = waits_ = opaque_ = false;
  }

 private:
  struct Place {
    const weavefuzz_site* site;
    std::uintptr_t address;
    std::uint32_t size;
    EventKind kind;
  };
  bool add(const RawEvent& event);
  bool is_note(const RawEvent& event) const;

  std::uint32_t count_ = 0;
  std::uint32_t followed_ = 0;
  std::uint32_t held_ = 0;
  bool reads_clock_ = false;
  bool waits_ = false;
  bool opaque_ = false;
  StackRange stack_;
  std::array<Place, kMostPlaces> places_;  // the first `count_`
};

}  // namespace weavefuzz::runtime
