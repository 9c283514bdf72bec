// Decides who moves next. Knows nothing of threads, locks or files, so it is tested with arrays.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "fuzzer/model/event.h"
#include "fuzzer/model/ids.h"
#include "fuzzer/model/schedule.h"

namespace weavefuzz {

// How a candidate could go on.
enum class Readiness : std::uint8_t {
  kReady,     // its operation can be carried out now
  kTimeout,   // it waits; choosing it makes its time-out fire
  kSpurious,  // it waits on a condition variable or futex; choosing it wakes it for no reason
};

struct Candidate {
  ThreadId thread;
  Readiness readiness = Readiness::kReady;
  PendingOp op;
};

enum class QuestionKind : std::uint8_t {
  kNext,    // which thread moves
  kWakeup,  // which waiting thread a notify_one wakes; candidates in the order they began to wait
};

inline constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

struct Question {
  QuestionKind kind = QuestionKind::kNext;
  std::span<const Candidate> candidates;  // never empty; for kNext sorted by thread, ready ones first
  std::size_t ready = 0;                  // how many of them, from the front, are ready
  std::size_t current = kNobody;          // index of the thread that ran last, if it is among the ready ones
  // For kNext: the thread that ran last and what it is about to do, also when it has just blocked.
  // `arrived` is false when it has nothing to do any more (it exited).
  bool arrived = false;
  ThreadId thread;
  PendingOp op;
};

struct Choice {
  std::size_t index = 0;
  // The chosen thread need not ask again for this many further events, unless it blocks or ends.
  std::uint32_t quiet = 0;
};

inline constexpr std::uint32_t kQuietForever = std::numeric_limits<std::uint32_t>::max();

class Policy {
 public:
  virtual ~Policy() = default;
  // A new run begins. REQUIRES: `schedule` stays alive and unchanged until the run ends.
  virtual void start(const Schedule& schedule) = 0;
  virtual Choice pick(const Question& question) = 0;
  // How many forced switches have not applied so far.
  virtual std::size_t unused_switches() const { return 0; }
};

// The policy that carries out a schedule: obeys its switches and asks the policy it names in between.
// One object serves any number of runs.
Policy& policy_for(const Schedule& schedule);

// Names, as in -policy=NAME. One row per policy in registry.cpp.
struct PolicyRow {
  PolicyId id;
  const char* name;
  const char* help;
  Policy& (*instance)();
};
std::span<const PolicyRow> all_policies();

}  // namespace weavefuzz
