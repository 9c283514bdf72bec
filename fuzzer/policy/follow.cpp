#include "fuzzer/policy/follow.h"

#include <algorithm>
#include <span>

#include "fuzzer/policy/single.h"

namespace weavefuzz {
namespace {

// The first candidate of the best readiness, or kNobody.
std::size_t index_of(std::span<const Candidate> candidates, ThreadId thread) {
  std::size_t best = kNobody;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].thread == thread && (best == kNobody || candidates[i].readiness < candidates[best].readiness))
      best = i;
  return best;
}

// What decides where no switch is forced: each thread runs until it blocks, then the next one.
class RunUntilBlocked final : public Policy {
 public:
  void start(const Schedule&) override {}

  Choice pick(const Question& question) override {
    // The longest waiting one.
    if (question.kind == QuestionKind::kWakeup) return {};
    return {next(question), kQuietForever};
  }

 private:
  static std::size_t next(const Question& question) {
    if (question.current != kNobody) return question.current;
    const auto ready = question.candidates.first(question.ready);
    if (ready.empty()) {
      const auto timeout = std::ranges::find(question.candidates, Readiness::kTimeout, &Candidate::readiness);
      if (timeout == question.candidates.end()) return 0;
      return static_cast<std::size_t>(timeout - question.candidates.begin());
    }
    // Not simply the lowest number, or two threads that hand over to each other starve the others.
    const auto above = std::ranges::upper_bound(ready, question.thread, {}, &Candidate::thread);
    return above == ready.end() ? 0 : static_cast<std::size_t>(above - ready.begin());
  }
};

}  // namespace

void FollowPolicy::start(const Schedule& schedule) {
  const std::vector<Switch>& switches = schedule.switches;
  base_ = &base_of_(schedule.policy);
  base_->start(schedule);
  schedule_ = &schedule;
  ahead_ = unused_ = switches.size();
  withheld_ = 0;

  // Room for the worst case, so that the next schedule of this size fits, whatever its shape.
  followers_.clear();
  followers_.reserve(switches.size());
  places_.clear();
  places_.reserve(switches.size());
  for (std::size_t i = 0; i < switches.size(); ++i) {
    const Switch& forced = switches[i];
    const bool new_thread = followers_.empty() || followers_.back().thread != forced.thread;
    if (new_thread) followers_.push_back({.thread = forced.thread, .begin = places_.size(), .end = 0});
    if (new_thread || places_.back().site != forced.site) places_.push_back({.site = forced.site, .next = i, .end = i});
    places_.back().end = i + 1;
    followers_.back().end = places_.size();
    ++followers_.back().ahead;
  }
}

FollowPolicy::Follower* FollowPolicy::follower(ThreadId thread) {
  if (ahead_ == 0) return nullptr;
  const auto at = std::ranges::lower_bound(followers_, thread, {}, &Follower::thread);
  return at != followers_.end() && at->thread == thread && at->ahead > 0 ? &*at : nullptr;
}

// Counts the arrival that `question` tells of; returns the switch it is the anchor of, if any.
const Switch* FollowPolicy::arrive(const Question& question) {
  if (!question.arrived) return nullptr;
  Follower* const who = follower(question.thread);
  if (who == nullptr) return nullptr;
  const auto places = std::span(places_).subspan(who->begin, who->end - who->begin);
  const auto place = std::ranges::lower_bound(places, question.op.site, {}, &Place::site);
  if (place == places.end() || place->site != question.op.site) return nullptr;

  ++place->arrivals;
  if (place->next == place->end) return nullptr;
  const Switch& forced = schedule_->switches[place->next];
  if (forced.occurrence != place->arrivals) return nullptr;
  ++place->next;
  --who->ahead;
  --ahead_;
  return &forced;
}

// As if it were asked only when its quiet is over: whether there are switches ahead must not change
// what it decides in between.
Choice FollowPolicy::ask_base(const Question& question) {
  const bool still_quiet =
      withheld_ > 0 && question.current != kNobody && question.candidates[question.current].thread == withheld_from_;
  if (still_quiet) return {question.current, withheld_ - 1};
  return base_->pick(question);
}

Choice FollowPolicy::pick(const Question& question) {
  if (question.kind == QuestionKind::kWakeup) return base_->pick(question);

  if (const Switch* const forced = arrive(question)) {
    const std::size_t target = index_of(question.candidates, forced->to);
    if (target != kNobody) {
      --unused_;
      withheld_ = 0;
      return {target, 0};
    }
  }
  Choice choice = ask_base(question);
  withheld_ = 0;
  const ThreadId chosen = question.candidates[choice.index].thread;
  if (follower(chosen) != nullptr) {
    withheld_ = choice.quiet;
    withheld_from_ = chosen;
    choice.quiet = 0;
  }
  return choice;
}

Policy& follow_policy() { return single<RunUntilBlocked>(); }

}  // namespace weavefuzz
