// Switches at random, with a probability that differs from seed to seed.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "fuzzer/model/rng.h"
#include "fuzzer/policy/policy.h"
#include "fuzzer/policy/single.h"

namespace weavefuzz {
namespace {

// A run switches with probability 1/2, 1/4, ... or 1/64 at each event. One probability for all runs
// would hide bugs: a high one never lets a thread get far while the others stand still, a low one
// never gets two switches close together.
constexpr std::uint64_t kProbabilities = 6;

// Of the questions at which there is somebody to wake in this way.
constexpr std::uint64_t kQuestionsPerTimeout = 16;
constexpr std::uint64_t kQuestionsPerSpurious = 64;

// By number of coins: the first bit of each throw in a word.
constexpr auto kFirstCoins = [] {
  std::array<std::uint64_t, kProbabilities + 1> masks{};
  for (unsigned coins = 1; coins <= kProbabilities; ++coins)
    for (unsigned i = 0; i < 64 / coins; ++i) masks[coins] |= std::uint64_t{1} << (i * coins);
  return masks;
}();

class RandomPolicy final : public Policy {
 public:
  void start(const Schedule& schedule) override {
    rng_ = Rng(schedule.seed);
    coins_ = 1 + static_cast<unsigned>(rng_.below(kProbabilities));
    chosen_.reset();
  }

  Choice pick(const Question& question) override {
    if (question.kind == QuestionKind::kWakeup) return {below(question.candidates.size()), 0};
    const std::size_t index = next(question);
    chosen_ = question.candidates[index].thread;
    return {index, gap()};
  }

 private:
  std::size_t next(const Question& question) {
    const auto waiting = question.candidates.subspan(question.ready);
    const auto timeouts =
        static_cast<std::size_t>(std::ranges::count(waiting, Readiness::kTimeout, &Candidate::readiness));
    const std::size_t spurious = waiting.size() - timeouts;
    if (timeouts > 0 && (question.ready == 0 || below(kQuestionsPerTimeout) == 0))
      return nth(question, Readiness::kTimeout, below(timeouts));
    if (question.ready == 0) return 0;
    if (spurious > 0 && below(kQuestionsPerSpurious) == 0) return nth(question, Readiness::kSpurious, below(spurious));

    if (question.current == kNobody) return below(question.ready);
    // Somebody else put it in this place, and it has had no turn of its own yet.
    if (question.candidates[question.current].thread != chosen_) return question.current;
    if (question.ready == 1) return question.current;
    const std::size_t other = below(question.ready - 1);
    return other < question.current ? other : other + 1;
  }

  static std::size_t nth(const Question& question, Readiness readiness, std::size_t n) {
    std::size_t i = question.ready;
    while (question.candidates[i].readiness != readiness || n-- > 0) ++i;
    return i;
  }

  // How many events pass before the next switch: how often not all of `coins_` coins show zero.
  // Drawn at once, so that nobody has to ask at each event, and from whole bits, so that it is the
  // same number on every machine. A word of random bits holds 64 / coins_ throws.
  std::uint32_t gap() {
    const unsigned throws = 64 / coins_;
    for (std::uint32_t events = 0;; events += throws) {
      const std::uint64_t bits = rng_.next();
      std::uint64_t any = bits;  // at the first bit of each throw: did a coin of it show one?
      for (unsigned coin = 1; coin < coins_; ++coin) any |= bits >> coin;
      const std::uint64_t all_zero = ~any & kFirstCoins[coins_];
      if (all_zero != 0) return events + static_cast<unsigned>(std::countr_zero(all_zero)) / coins_;
    }
  }

  std::size_t below(std::uint64_t bound) { return static_cast<std::size_t>(rng_.below(bound)); }

  Rng rng_;
  unsigned coins_ = 1;
  std::optional<ThreadId> chosen_;
};

}  // namespace

Policy& random_policy() { return single<RandomPolicy>(); }

}  // namespace weavefuzz
