// A scheduler of arrays: threads that never block, each a list of sites to pass.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzzer/policy/policy.h"

namespace weavefuzz {

// The sites a thread passes, in order. It is born at the first one and does not arrive there.
using Program = std::vector<std::uint32_t>;

struct TinyRun {
  std::vector<std::uint32_t> order;  // which thread did each event
  std::size_t questions = 0;
  std::size_t unused_switches = 0;
};

inline Candidate ready(std::uint32_t thread, std::uint32_t site = 0) {
  Candidate candidate;
  candidate.thread = ThreadId{thread};
  candidate.op.site = SiteKey{site};
  return candidate;
}

inline Candidate waiting(std::uint32_t thread, Readiness readiness) {
  Candidate candidate = ready(thread);
  candidate.readiness = readiness;
  return candidate;
}

// Without `honour_quiet` it asks at each event, whatever the policy said.
inline TinyRun run(Policy& policy, const Schedule& schedule, const std::vector<Program>& programs,
                   bool honour_quiet = true) {
  TinyRun result;
  std::vector<std::size_t> done(programs.size());
  std::vector<Candidate> candidates;
  Question question;
  std::uint32_t quiet = 0;
  std::size_t running = programs.size();  // nobody; the one after it is the first
  question.thread = ThreadId{static_cast<std::uint32_t>(running)};
  policy.start(schedule);
  for (;;) {
    candidates.clear();
    question.current = kNobody;
    for (std::size_t i = 0; i < programs.size(); ++i) {
      if (done[i] == programs[i].size()) continue;
      if (i == running) question.current = candidates.size();
      candidates.push_back(ready(static_cast<std::uint32_t>(i), programs[i][done[i]]));
    }
    if (candidates.empty()) break;
    question.candidates = candidates;
    question.ready = candidates.size();
    question.arrived = question.current != kNobody;
    if (question.arrived) question.op = candidates[question.current].op;

    if (quiet > 0 && question.arrived) {
      --quiet;
    } else {
      const Choice choice = policy.pick(question);
      ++result.questions;
      quiet = honour_quiet ? choice.quiet : 0;
      question.thread = candidates[choice.index].thread;
      running = question.thread.value;
    }
    result.order.push_back(question.thread.value);
    ++done[running];
  }
  result.unused_switches = policy.unused_switches();
  return result;
}

}  // namespace weavefuzz
