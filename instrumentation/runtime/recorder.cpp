#include "instrumentation/runtime/recorder.h"

#include <sys/mman.h>
#include <unistd.h>

namespace weavefuzz::runtime {

Recorder recorder;

namespace {

// Pages that are never touched cost nothing, so the buffer can be as large as the step limit.
void* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory != MAP_FAILED) return memory;
  constexpr char kMessage[] = "weavefuzz: not enough address space to record a run\n  try: a smaller -max_steps\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  _exit(1);
}

}  // namespace

void Recorder::initialise(std::uint32_t max_steps, bool record_stacks) {
  max_steps_ = max_steps;
  // As many events as a thread alone may leave behind before others come, as may follow, and as many notes.
  const std::size_t capacity = std::size_t{max_steps} * 3 + 1024;
  begin_ = static_cast<RawEvent*>(reserve(capacity * sizeof(RawEvent)));
  end_ = begin_ + capacity;
  if (record_stacks) stacks_ = static_cast<Stack*>(reserve(capacity * sizeof(Stack)));
  begin();
}

void Recorder::begin() {
  forgotten_ = 0;
  dropped_ = 0;
  notes_ = 0;
  next_ = begin_;
  lift_limit();
  ask_after(0);
}

void Recorder::limit_steps() {
  if (static_cast<std::size_t>(next_ - begin_) > max_steps_) forget();
  limited_ = true;
  limit_ = next_ + max_steps_;
  ask_after(0);
}

void Recorder::lift_limit() {
  limited_ = false;
  limit_ = end_ - 1;
}

void Recorder::forget() {
  forgotten_ = steps();
  notes_ = 0;
  next_ = begin_;
  ask_after(0);
}

void Recorder::note(const RawEvent& event) {
  // The limit moves on with a note, but one slot must stay free for the event that reaches it.
  const bool at_end = limit_ + 1 >= end_;
  if (at_end && (limited_ || next_ + 1 >= limit_)) {
    ++dropped_;
    return;
  }
  *next_++ = event;
  ++notes_;
  if (!at_end) ++limit_;
  ask_at_ = ask_at_ < limit_ ? ask_at_ + 1 : limit_;
  if (stacks_ == nullptr) stop_ = ask_at_;
}

void Recorder::replace_sites(const weavefuzz_site* begin, const weavefuzz_site* end, const weavefuzz_site* copies) {
  for (RawEvent* event = begin_; event != next_; ++event)
    if (event->site >= begin && event->site < end)
      event->site = copies == nullptr ? nullptr : copies + (event->site - begin);
}

}  // namespace weavefuzz::runtime
