// Signals that threads of a run send each other, and themselves.
#pragma once
#include <cstdint>

namespace weavefuzz::runtime {

struct Thread;

inline constexpr std::uint64_t signal_bit(int signal) { return std::uint64_t{1} << (signal - 1); }

// What a thread holds of its signals.
struct Signals {
  std::uint64_t blocked = 0;
  std::uint64_t pending = 0;
  std::uint32_t handlers = 0;  // that run now; one that was left by longjmp counts until somebody looks
};

// Runs, on the calling thread, the handlers of all signals that it is to get now.
void deliver_signals();

// Those that were sent to the program, not to a thread: whoever does not block them gets them.
extern std::uint64_t pending_for_anyone;

inline bool has_signal(const Signals& signals) {
  return ((signals.pending | pending_for_anyone) & ~signals.blocked) != 0;
}

// Before a run: nothing is pending. What the process had blocked, thread 0 has.
void begin_signals(Signals& of_main);

}  // namespace weavefuzz::runtime
