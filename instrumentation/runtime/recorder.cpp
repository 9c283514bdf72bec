#include "instrumentation/runtime/recorder.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace weavefuzz::runtime {

Recorder recorder;

namespace {

// Pages that are never touched cost nothing, so the buffer can be as large as the step limit.
void* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return memory;
}

}  // namespace

void Recorder::initialise(std::uint32_t max_steps, bool record_stacks) {
  max_steps_ = max_steps;
  const std::size_t capacity = std::size_t{max_steps} * 2 + 1024;  // as many notes as steps
  begin_ = static_cast<RawEvent*>(reserve(capacity * sizeof(RawEvent)));
  end_ = begin_ + capacity;
  if (record_stacks) stacks_ = static_cast<Stack*>(reserve(capacity * sizeof(Stack)));
  begin();
}

void Recorder::begin() {
  next_ = begin_;
  limit_ = begin_ + max_steps_;
  notes_ = 0;
  dropped_ = 0;
  ask_after(0);
}

void Recorder::ask_after(std::uint32_t events) {
  ask_at_ = static_cast<std::size_t>(limit_ - next_) < events ? limit_ : next_ + events;
  stop_ = stacks_ == nullptr ? ask_at_ : begin_;
}

Stack* Recorder::stack_slot() { return stacks_ == nullptr ? nullptr : &stacks_[next_ - begin_ - 1]; }

void Recorder::note(const RawEvent& event) {
  // One slot beyond the step limit always stays free for the event that reaches it.
  if (limit_ + 1 >= end_) {
    ++dropped_;
    return;
  }
  *next_++ = event;
  ++notes_;
  ++ask_at_;
  ++limit_;
  if (stacks_ == nullptr) stop_ = ask_at_;
}

}  // namespace weavefuzz::runtime
