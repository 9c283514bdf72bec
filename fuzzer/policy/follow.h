// Obeys the switches of a schedule and asks another policy in between.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzzer/policy/policy.h"

namespace weavefuzz {

// A switch applies when its thread arrives at its place for the right time and its target can go on
// in any way. Otherwise it is skipped for good and stays unused.
//
// Takes memory only in start(), and there only for more switches than it has seen before.
class FollowPolicy final : public Policy {
 public:
  using BaseOf = Policy& (*)(PolicyId);

  // `base_of` gives the policy to ask between switches.
  explicit FollowPolicy(BaseOf base_of) : base_of_(base_of) {}

  // REQUIRES: a normalised schedule.
  void start(const Schedule& schedule) override;
  Choice pick(const Question& question) override;
  std::size_t unused_switches() const override { return unused_; }

 private:
  // A site at which a thread has switches: those from `next` to `end` are still ahead.
  struct Place {
    SiteKey site;
    std::uint32_t arrivals = 0;
    std::size_t next = 0;
    std::size_t end = 0;
  };
  // A thread that has switches, and where: places_ from `begin` to `end`, sorted by site.
  struct Follower {
    ThreadId thread;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t ahead = 0;
  };

  Follower* follower(ThreadId thread);
  const Switch* arrive(const Question& question);
  Choice ask_base(const Question& question);

  BaseOf base_of_;
  Policy* base_ = nullptr;
  const Schedule* schedule_ = nullptr;
  std::vector<Follower> followers_;  // sorted by thread
  std::vector<Place> places_;
  std::size_t ahead_ = 0;   // switches that may still apply
  std::size_t unused_ = 0;  // switches that have not applied
  // What is left of the quiet that the base policy granted and we could not pass on, and to whom.
  std::uint32_t withheld_ = 0;
  ThreadId withheld_from_;
};

}  // namespace weavefuzz
