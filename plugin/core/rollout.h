// Estimating a state by playing on from it.
#ifndef AUGUR_CORE_ROLLOUT_H
#define AUGUR_CORE_ROLLOUT_H

#include <augur/kit/rules.h>

#include "core/lanes.h"
#include "core/settings.h"
#include "core/value.h"

namespace augur::core {

// A return for each decider of a node, Q16. Alternating games: for the player to act at the node.
template <class R>
struct Return {
    std::int32_t value[kit::kDeciders<R>];
};

// One ply, by all lanes of the group where the rules can.
template <class R, class Lanes>
AUGUR_HD_INLINE kit::StepOf<R> shared_step(typename R::State& state, const kit::JointActionOf<R>& joint,
                                           kit::Random& random, Lanes lanes) {
    if constexpr (kit::HasTeam<R>)
        return R::step(state, joint, random, lanes);
    else
        return R::step(state, joint, random);
}

// One decider's choice in a rollout; R::kActions when there is no legal action. A policy of the rules is not trusted
// with step: an action outside the mask becomes the first legal one; without a mask, one outside 0 .. K-1 counts as a
// dead end.
template <class R, class Lanes = SerialLanes>
AUGUR_HD_INLINE int rollout_choice(const typename R::State& state, int player, kit::Random& random, Lanes lanes = {}) {
    if constexpr (kit::HasTeam<R>) {
        const int action = R::rollout_action(state, player, random, lanes);
        return action >= 0 && action < R::kActions ? action : R::kActions;
    } else if constexpr (kit::HasFreeRolloutAction<R>) {
        const int action = R::rollout_action(state, player, random);
        return action >= 0 && action < R::kActions ? action : R::kActions;
    } else {
        const kit::ActionMask<R::kActions> legal = R::legal(state, player);
        if (!legal.any()) return R::kActions;
        if constexpr (kit::HasRolloutAction<R>) {
            const int action = R::rollout_action(state, player, legal, random);
            return action >= 0 && action < R::kActions && legal.test(action) ? action : legal.first();
        } else if constexpr (R::kActions <= 256) {
            return legal.nth(static_cast<int>(random.below(static_cast<std::uint32_t>(legal.count()))));
        } else {
            // 16 bits would favour some of thousands of actions by a few percent.
            const auto count = static_cast<std::uint32_t>(legal.count());
            return legal.nth(static_cast<int>(kit::multiply_high(random.bits32(), count)));
        }
    }
}

// Plays on from a state that is not terminal for at most `plies` plies: random legal actions, or the rules' own rollout
// policy. A state without legal actions that is no end counts 0 and sets kFlagDeadEnd. At the horizon the rules'
// evaluate counts, if any. Rewards are those of the ply, discounted from here. Cost: plies times legal + step.
// lanes: who plays it together, where the rules can (kit::HasTeam); all of a warp make the call, playing says whether
// the group has anything to play.
template <class R, class Lanes = SerialLanes>
AUGUR_HD_INLINE Return<R> rollout(typename R::State state, std::uint32_t plies, std::int32_t discount,
                                  kit::Random& random, std::uint32_t& flags, Lanes lanes = {}, bool playing = true) {
    constexpr int D = kit::kDeciders<R>;
    std::int64_t total[D] = {};
    std::int32_t weight = kit::kOne;  // discount to the power of plies played, Q16
    const int observer = R::to_act(state);
    bool ended = false;
    std::uint32_t ply = 0;
    playing = playing && plies > 0;
    while (lanes.any(playing)) {
        const int player = R::to_act(state);
        kit::JointActionOf<R> joint;
        bool stuck = false;
        for (int d = 0; d < D; ++d) {
            joint.action[d] = rollout_choice<R>(state, D > 1 ? d : player, random, lanes);
            stuck = stuck || joint.action[d] == R::kActions;
            if (joint.action[d] == R::kActions) joint.action[d] = 0;
        }
        if (playing && stuck) {
            flags |= kFlagDeadEnd;
            ended = true;
            playing = false;
            if constexpr (Lanes::kWidth == 1) break;
        }
        const kit::StepOf<R> step = shared_step<R>(state, joint, random, lanes);
        if (!playing) continue;
        if (!R::kProvable || step.terminal) {  // no reward before the end otherwise
            for (int d = 0; d < D; ++d) {
                const std::int64_t gained = (static_cast<std::int64_t>(weight) * clamp_reward(step.reward[d])) >> 16;
                total[d] += D > 1 || player == observer ? gained : -gained;
            }
        }
        ended = step.terminal;
        if (!ended && discount != kit::kOne) weight = kit::multiply_q16(weight, discount);
        playing = !ended && ++ply < plies;
    }
    Return<R> result;
    for (int d = 0; d < D; ++d) {
        if constexpr (kit::HasEvaluate<R>) {
            if (!ended)
                total[d] +=
                    (static_cast<std::int64_t>(weight) * clamp_reward(R::evaluate(state, D > 1 ? d : observer))) >> 16;
        }
        result.value[d] = clamp_return(total[d]);
    }
    return result;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_ROLLOUT_H
