// Which lane of a shared GPU each planner's searches take, and which one evaluations must leave to them: a lane is a
// part of the multiprocessors with a priority. No clock and no device: what was measured is told.
#ifndef AUGUR_CORE_LANE_CHOICE_H
#define AUGUR_CORE_LANE_CHOICE_H

#include <cstdint>

namespace augur::core {

inline constexpr std::uint32_t kMaxLanes = 4;

// Lanes come in the order in which they are preferred: the first leaves most to evaluations.
enum class LaneRule : std::uint8_t {
    first,       // always lane 0
    by_urgency,  // lane 0 where the urgency is 1 or more, else lane 1
    by_need,  // lanes from small to large: the smallest in which searches keep their budgets; without one, by measure
    by_measure,  // beside evaluations, the first lane in which searches take hardly longer than in the best; else lane
                 // 0
};

// Of one planner.
class LaneChoice {
  public:
    LaneChoice() = default;
    // count: 1 .. kMaxLanes. By need, the choice begins with the largest.
    LaneChoice(LaneRule rule, std::uint32_t count)
        : rule_(rule), count_(count), current_(rule == LaneRule::by_need ? count - 1 : 0) {}

    // For a search that begins now. beside: evaluations are running.
    std::uint32_t for_search(float urgency, bool beside) {
        switch (rule_) {
            case LaneRule::by_urgency:
                return urgency >= 1.0f ? 0 : 1;
            case LaneRule::by_need:
                return has_budget_ ? current_ : measured_lane();
            case LaneRule::by_measure:
                return beside ? measured_lane() : 0;
            default:
                return 0;
        }
    }

    // The lane that its searches need, leaving trials of others out.
    std::uint32_t wanted() const { return current_; }

    // A search is done. took and budget in nanoseconds (budget 0: none); beside: as it was told when it began.
    void searched(std::uint32_t lane, std::uint64_t took_ns, std::uint64_t budget_ns, bool beside) {
        if (rule_ == LaneRule::by_need) has_budget_ = budget_ns != 0;
        if (rule_ == LaneRule::by_need && budget_ns != 0 && lane == current_)
            fit(took_ns, budget_ns);
        else if ((rule_ == LaneRule::by_need && budget_ns == 0) || (rule_ == LaneRule::by_measure && beside))
            measure(lane, took_ns);
    }

  private:
    // A lane is left for the next smaller one, of half the size, after so many frames that would have fitted into it.
    static constexpr std::uint32_t kPatience = 32;
    // Every so many searches another lane than the chosen one is measured again.
    static constexpr std::uint32_t kBetweenTrials = 64;
    // A lane is measured so often before anything is concluded from it.
    static constexpr std::uint32_t kEnough = 4;
    // "Hardly longer" than in the best lane. The lane in use may take more, lest two that are alike be taken in turns.
    static constexpr double kHardlyLonger = 1.25, kStill = 1.4;

    // Grows at once where 9/10 of the budget were needed, shrinks late: a frame that is missed costs more than
    // multiprocessors that idle.
    void fit(std::uint64_t took_ns, std::uint64_t budget_ns) {
        if (took_ns > budget_ns / 10 * 9) {
            roomy_ = 0;
            current_ += current_ + 1 < count_ ? 1 : 0;
        } else if (took_ns > budget_ns / 10 * 4 || current_ == 0) {
            roomy_ = 0;
        } else if (++roomy_ == kPatience) {
            roomy_ = 0;
            --current_;
        }
    }

    std::uint32_t measured_lane() {
        for (std::uint32_t lane = 0; lane < count_; ++lane)
            if (seen_[lane] < kEnough) return current_ = lane;
        if (++since_trial_ % kBetweenTrials == 0) return since_trial_ / kBetweenTrials % count_;
        double best = mean_ns_[0];
        for (std::uint32_t lane = 1; lane < count_; ++lane)
            best = mean_ns_[lane] < best ? mean_ns_[lane] : best;
        std::uint32_t first = 0;
        while (mean_ns_[first] > best * kHardlyLonger)
            ++first;
        if (first < current_ || mean_ns_[current_] > best * kStill) current_ = first;
        return current_;
    }

    void measure(std::uint32_t lane, std::uint64_t took_ns) {
        seen_[lane] += seen_[lane] < 8 ? 1 : 0;
        // A lane that is seldom measured may have changed altogether.
        const double weight = seen_[lane] <= kEnough ? seen_[lane] : lane == current_ ? 8.0 : 2.0;
        mean_ns_[lane] += (static_cast<double>(took_ns) - mean_ns_[lane]) / weight;
    }

    LaneRule rule_ = LaneRule::first;
    std::uint32_t count_ = 1;
    std::uint32_t current_ = 0;
    bool has_budget_ = false;  // the last search had
    std::uint32_t roomy_ = 0;
    std::uint32_t since_trial_ = 0;
    std::uint32_t seen_[kMaxLanes] = {};
    double mean_ns_[kMaxLanes] = {};  // of searches, where they are measured
};

// Of all planners of a context. Lanes leave less and less to evaluations from the first to the last, and the parts of
// earlier ones lie within those of later ones, so an evaluation that leaves the last one alone that any planner needs
// leaves them all alone. What a planner needed counts for as long as it takes all of them to search a few times.
class LaneDemand {
  public:
    LaneDemand() = default;
    // Before anybody has searched, evaluations leave this lane alone.
    explicit LaneDemand(std::uint32_t at_first) : at_first_(at_first) {}

    void join() { ++planners_; }
    void leave() { --planners_; }

    void searches(std::uint32_t wanted_lane) {
        ++searches_;
        last_[wanted_lane] = searches_;
    }

    // For an evaluation that begins now: the lane whose searches it must leave alone.
    std::uint32_t for_evaluation() const {
        const std::uint64_t recent = std::uint64_t{kTurns} * (planners_ > 1 ? planners_ : 1);
        for (std::uint32_t lane = kMaxLanes; lane-- > 0;)
            if (last_[lane] != 0 && searches_ - last_[lane] < recent) return lane;
        return at_first_;
    }

  private:
    static constexpr std::uint32_t kTurns = 4;

    std::uint32_t at_first_ = 0;
    std::uint32_t planners_ = 0;
    std::uint64_t searches_ = 0;          // of all planners
    std::uint64_t last_[kMaxLanes] = {};  // of searches_, when the lane was needed last; 0: never
};

}  // namespace augur::core

#endif  // AUGUR_CORE_LANE_CHOICE_H
