// What a planner's frames cost on this machine, learned from those that are done, and how many simulations a time will
// pay for. Policy alone: times are passed in, nothing is allocated, no clock is read.
#ifndef AUGUR_RUNTIME_BUDGET_CONTROLLER_H
#define AUGUR_RUNTIME_BUDGET_CONTROLLER_H

#include <cstdint>

namespace augur {

// A cost that follows its samples within a few frames, and that outliers do not move, even when every third frame is
// one: what counts is the median of the last seven samples, and no step more than doubles it.
class CostEstimate {
  public:
    CostEstimate() = default;
    // Taken to be nothing until most samples say otherwise.
    static CostEstimate of_nothing();

    bool known() const { return count_ > 0; }
    double value() const { return value_; }
    void add(double sample);
    // After frames that could not be measured: what was too dear to try may be cheaper now. Of the samples only the
    // last stays, so that the next one counts.
    void forget_a_little();

  private:
    static constexpr std::uint32_t kWindow = 7;
    static constexpr double kUp = 3.0 / 4, kDown = 1.0 / 4, kMostGrowth = 2.0, kForget = 1.0 / 32;

    double middle() const;

    double value_ = 0.0;
    double last_[kWindow] = {};
    std::uint32_t count_ = 0;  // of samples, up to kWindow
    std::uint32_t next_ = 0;
};

// Cost of a frame in nanoseconds: overhead + fixed + per simulation * simulations. A frame with many simulations says
// what one costs; a frame with few, what a search costs however little it does.
class BudgetController {
  public:
    static constexpr std::uint64_t kAllOfThem = UINT64_MAX;

    // A frame that was searched. total_ns: from the request until its actions were ready; search_ns: of that, the
    // search; cut: its deadline ended it. A short search that was cut began late, and tells nothing of a simulation.
    void learn(std::uint64_t total_ns, std::uint64_t search_ns, std::uint64_t simulations, bool cut);

    // Most simulations, all agents together, that time_ns from the request on will pay for. kAllOfThem while nothing is
    // known. 0: no time for `least`, the fewest that are worth a search; then the next call may try, so that a cost
    // that was wrong is found out.
    std::uint64_t plan(std::uint64_t time_ns, std::uint64_t least);

    // What a frame of so many simulations takes; 0 while nothing is known.
    std::uint64_t expected_ns(std::uint64_t simulations) const;

    // Per simulation, as plans use it; 0 while nothing is known.
    std::uint64_t simulation_ps() const;

  private:
    // Of the time; the rest is for what varies.
    static constexpr double kPlanned = 15.0 / 16;
    // Plans follow a cost that falls only when it has been this far below theirs for so many frames.
    static constexpr double kHysteresis = 7.0 / 8;
    static constexpr std::uint32_t kPatience = 8;
    // Frames with less than this share of the usual simulations are small.
    static constexpr double kSmall = 1.0 / 8;
    // Searches of this share of the usual time are not short.
    static constexpr double kUsualLength = 3.0 / 4;

    void follow();

    CostEstimate overhead_;                            // ns
    CostEstimate fixed_ = CostEstimate::of_nothing();  // ns
    CostEstimate cost_;                                // ns per simulation
    CostEstimate length_;                              // of searches that were not asked to be short, ns
    double usual_ = 0.0;                               // simulations of a frame
    double planned_cost_ = 0.0;                        // ns per simulation
    std::uint32_t below_ = 0;                          // frames in a row in which the cost was well below that
};

}  // namespace augur

#endif  // AUGUR_RUNTIME_BUDGET_CONTROLLER_H
