#include "runtime/budget_controller.h"

#include <algorithm>
#include <cmath>

namespace augur {

void CostEstimate::add(double sample) {
    last_[next_] = sample;
    next_ = (next_ + 1) % 3;
    if (count_ < 3) ++count_;
    if (count_ == 1) {
        value_ = sample;
        return;
    }
    // Of two samples the lower: a first frame that was slow for its own reasons is forgotten at once.
    const double low = std::min(last_[0], last_[1]), high = std::max(last_[0], last_[1]);
    const double middle = count_ == 2 ? low : std::clamp(last_[2], low, high);
    if (count_ == 2) {
        value_ = middle;
        return;
    }
    const double step = (middle - value_) * (middle > value_ ? kUp : kDown);
    value_ = std::min(value_ + step, std::max(value_ * kMostGrowth, 1.0));
}

void BudgetController::learn(std::uint64_t total_ns, std::uint64_t search_ns, std::uint64_t simulations) {
    if (simulations == 0) return;
    const auto search = static_cast<double>(search_ns), done = static_cast<double>(simulations);
    overhead_.add(static_cast<double>(total_ns > search_ns ? total_ns - search_ns : 0));
    usual_ = std::max(done, usual_ - (usual_ - done) / 32);
    if (cost_.known() && done < usual_ * kSmall)
        fixed_.add(std::max(0.0, search - cost_.value() * done));
    else
        cost_.add(std::max(search - fixed_.value(), search * kSmall) / done);
    follow();
}

void BudgetController::follow() {
    const double cost = cost_.value();
    if (cost >= planned_cost_ || planned_cost_ == 0.0) {
        planned_cost_ = cost;
        below_ = 0;
    } else if (cost >= planned_cost_ * kHysteresis) {
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
