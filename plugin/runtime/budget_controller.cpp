#include "runtime/budget_controller.h"

#include <algorithm>
#include <cmath>

namespace augur {

// Of an even number of samples the lower one of the two in the middle: a first frame that was slow for its own reasons
// is forgotten with the second.
double CostEstimate::middle() const {
    double sorted[kWindow] = {};
    std::copy_n(last_, count_, sorted);
    double* const at = sorted + (count_ - 1) / 2;
    std::nth_element(sorted, at, sorted + count_);
    return *at;
}

CostEstimate CostEstimate::of_nothing() {
    CostEstimate estimate;
    estimate.count_ = kWindow;
    return estimate;
}

void CostEstimate::forget_a_little() {
    value_ -= value_ * kForget;
    if (count_ <= 1) return;
    last_[0] = last_[(next_ + kWindow - 1) % kWindow];
    next_ = count_ = 1;
}

void CostEstimate::add(double sample) {
    last_[next_] = sample;
    next_ = (next_ + 1) % kWindow;
    if (count_ < kWindow) ++count_;
    const double target = middle();
    if (count_ <= 2) {
        value_ = target;
        return;
    }
    const double step = (target - value_) * (target > value_ ? kUp : kDown);
    value_ = value_ > 0.0 ? std::min(value_ + step, value_ * kMostGrowth) : value_ + step;
}

void BudgetController::learn(std::uint64_t total_ns, std::uint64_t search_ns, std::uint64_t simulations, bool cut) {
    if (simulations == 0) return;
    const auto search = static_cast<double>(search_ns), done = static_cast<double>(simulations);
    overhead_.add(static_cast<double>(total_ns > search_ns ? total_ns - search_ns : 0));
    usual_ = std::max(done, usual_ - (usual_ - done) / 32);
    const bool small = cost_.known() && done < usual_ * kSmall;
    if (!small || cut) length_.add(search);
    if (small && !cut)
        fixed_.add(std::max(0.0, search - cost_.value() * done));
    else if (!small || search > length_.value() * kUsualLength)  // the usual time for few simulations: they are dear
        cost_.add(std::max(search - fixed_.value(), search * kSmall) / done);
    follow();
}

void BudgetController::follow() {
    const double cost = cost_.value();
    if (cost >= planned_cost_ || planned_cost_ == 0.0) {
        planned_cost_ = cost;
        below_ = 0;
    } else if (below_ < kPatience && cost >= planned_cost_ * kHysteresis) {
        below_ = 0;
    } else if (++below_ >= kPatience) {
        planned_cost_ -= (planned_cost_ - cost) / 4;
    }
}

std::uint64_t BudgetController::plan(std::uint64_t time_ns, std::uint64_t least) {
    if (!cost_.known() || time_ns == UINT64_MAX) return kAllOfThem;
    const double left = static_cast<double>(time_ns) * kPlanned - overhead_.value() - fixed_.value();
    const double simulations = left / std::max(planned_cost_, 1e-3);
    if (simulations >= 9.0e18) return kAllOfThem;
    if (simulations >= static_cast<double>(least)) return static_cast<std::uint64_t>(simulations);
    overhead_.forget_a_little();
    fixed_.forget_a_little();
    cost_.forget_a_little();
    planned_cost_ = std::max(cost_.value(), planned_cost_ * (31.0 / 32));
    return 0;
}

std::uint64_t BudgetController::expected_ns(std::uint64_t simulations) const {
    if (!cost_.known()) return 0;
    const double ns = overhead_.value() + fixed_.value() + planned_cost_ * static_cast<double>(simulations);
    return ns < 9.0e18 ? static_cast<std::uint64_t>(ns) : UINT64_MAX;
}

std::uint64_t BudgetController::simulation_ps() const {
    return static_cast<std::uint64_t>(std::llround(std::min(planned_cost_ * 1000.0, 9.0e18)));
}

}  // namespace augur
