// The events of the current run, in a buffer of fixed size, and the one comparison that stands
// between a hook and its return: is there anything to decide?
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "instrumentation/runtime/runtime.h"

namespace weavefuzz::runtime {

class Recorder {
 public:
  void initialise(std::uint32_t max_steps, bool record_stacks);
  void begin();

  // A second thread is there: from now on there is a limit to how many steps may follow.
  void limit_steps();
  // One thread is alone again. Whether it ever ends is not for us to say.
  void lift_limit();
  // Makes room by dropping, and counting, all events so far.
  void forget();

  // Room for the next event, if the thread that runs need not be asked about it; nullptr otherwise.
  RawEvent* quick() {
    RawEvent* event = next_;
    if (event >= stop_) [[unlikely]]
      return nullptr;
    next_ = event + 1;
    return event;
  }

  // REQUIRES: !full().
  RawEvent& append() { return *next_++; }
  RawEvent& last() { return next_[-1]; }
  // Of the event appended last; nullptr unless stacks are recorded.
  Stack* stack_slot() { return stacks_ == nullptr ? nullptr : &stacks_[next_ - begin_ - 1]; }

  // Bookkeeping that is neither a step nor a decision. Dropped, and counted, when there is no room.
  void note(const RawEvent& event);

  // The next decision is due after `events` more.
  void ask_after(std::uint32_t events) {
    ask_at_ = limit_ - next_ < static_cast<std::ptrdiff_t>(events) ? limit_ : next_ + events;
    stop_ = stacks_ == nullptr ? ask_at_ : begin_;
  }
  bool due() const { return next_ >= ask_at_; }
  bool full() const { return next_ >= limit_; }
  // Since the run began, forgotten ones included.
  std::uint32_t steps() const { return forgotten_ + static_cast<std::uint32_t>(next_ - begin_) - notes_; }
  std::uint32_t forgotten() const { return forgotten_; }
  std::uint32_t dropped_notes() const { return dropped_; }

  // The sites from `begin` to `end` are about to be gone; `copies`, if there are any, stand for them.
  void replace_sites(const weavefuzz_site* begin, const weavefuzz_site* end, const weavefuzz_site* copies);

  std::span<const RawEvent> events() const { return {begin_, next_}; }
  const Stack* stack_of(std::size_t index) const { return stacks_ == nullptr ? nullptr : &stacks_[index]; }

 private:
  RawEvent* next_ = nullptr;
  RawEvent* stop_ = nullptr;  // ask_at_, or begin_ where every event takes the slow way
  RawEvent* ask_at_ = nullptr;
  RawEvent* limit_ = nullptr;  // step limit, or the end of the buffer
  RawEvent* begin_ = nullptr;
  RawEvent* end_ = nullptr;
  bool limited_ = false;
  Stack* stacks_ = nullptr;
  std::uint32_t max_steps_ = 0;
  std::uint32_t notes_ = 0;      // among the events in the buffer
  std::uint32_t forgotten_ = 0;  // steps that are no longer there
  std::uint32_t dropped_ = 0;
};

extern __attribute__((visibility("hidden"))) Recorder recorder;

}  // namespace weavefuzz::runtime
