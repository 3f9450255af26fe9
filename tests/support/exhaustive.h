// Exact answers for small games by trying everything: the oracle for the search's values, choices and proofs.

#ifndef AUGUR_TESTS_SUPPORT_EXHAUSTIVE_H
#define AUGUR_TESTS_SUPPORT_EXHAUSTIVE_H

#include <augur/kit/rules.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace augur::test {

// For games without chance that are not simultaneous. Remembers what it has solved, so that positions reached in many
// ways are solved once.
template <class R>
class Exhaustive {
  public:
    using State = typename R::State;

    // discount: per ply, in 1.0.
    explicit Exhaustive(double discount = 1.0) : discount_(discount) {}

    // Best discounted return for the player to act, looking `plies` plies ahead; 0 at a dead end. Backward induction
    // (Bellman 1957), with the sign turned where the other player acts.
    double value(const State& state, int plies) {
        if (plies == 0 || R::terminal(state)) return 0.0;
        const auto key = std::make_pair(bytes(state), plies);
        const auto known = values_.find(key);
        if (known != values_.end()) return known->second;
        double best = -1.0e9;
        const int player = R::to_act(state);
        const auto legal = R::legal(state, player);
        for (int action = 0; action < R::kActions; ++action) {
            if (legal.test(action)) best = std::max(best, action_value(state, action, plies));
        }
        if (!legal.any()) best = 0.0;
        values_[key] = best;
        return best;
    }

    double action_value(const State& state, int action, int plies) {
        State next = state;
        kit::Random random({0, 0}, 0, 0, kit::Purpose::host);
        const auto step = R::step(next, {{action}}, random);
        const double reward = step.reward[0] / 65536.0;
        if (step.terminal) return reward;
        const double later = value(next, plies - 1);
        return reward + discount_ * (R::to_act(next) == R::to_act(state) ? later : -later);
    }

  private:
    static std::string bytes(const State& state) {
        std::string text(sizeof(State), '\0');
        std::memcpy(text.data(), &state, sizeof(State));
        return text;
    }

    double discount_;
    std::map<std::pair<std::string, int>, double> values_;
};

}  // namespace augur::test

#endif
