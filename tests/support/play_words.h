// The world between two frames of a planner that carries trees over: some agents stand still, some have played their
// action, some were answered, and some are somewhere else.
#ifndef AUGUR_TESTS_SUPPORT_PLAY_WORDS_H
#define AUGUR_TESTS_SUPPORT_PLAY_WORDS_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "rules/connect_four.h"
#include "support/games/dice_race.h"
#include "support/games/duel.h"
#include "support/games/nim.h"

namespace augur::test {

// One ply: `first` by the first player to choose, drawn legal actions for the others. False where the game is over.
template <class R>
bool play_ply(typename R::State& state, std::int32_t first, std::uint64_t draw) {
    if (R::terminal(state)) return false;
    kit::JointActionOf<R> joint{};
    for (int d = 0; d < kit::kDeciders<R>; ++d) {
        const auto legal = R::legal(state, d > 0 ? d : R::to_act(state));
        if (!legal.any()) return false;
        const bool given = d == 0 && first >= 0 && legal.test(first);
        joint.action[d] = given ? first
                                : legal.nth(static_cast<int>(kit::mix64(draw + static_cast<std::uint64_t>(d)) %
                                                             static_cast<std::uint64_t>(legal.count())));
    }
    kit::Random random({draw, 1}, 0, 0, kit::Purpose::chance);
    R::step(state, joint, random);
    return true;
}

// words: [W][A], where an agent's words are its state.
template <class R>
void play_states(std::vector<std::int32_t>& words, const std::vector<std::int32_t>& actions, std::uint64_t frame) {
    constexpr std::size_t kWords = sizeof(typename R::State) / 4;
    const std::size_t agents = actions.size();
    for (std::size_t agent = 0; agent < agents; ++agent) {
        std::int32_t mine[kWords];
        for (std::size_t w = 0; w < kWords; ++w)
            mine[w] = words[w * agents + agent];
        typename R::State state;
        std::memcpy(&state, mine, sizeof state);
        const std::uint64_t draw = kit::combine64(frame, agent);
        const std::uint64_t fate = (agent + frame) % 6;  // 0: stands still
        if (fate >= 1) play_ply<R>(state, actions[agent], draw);
        if (fate >= 2) play_ply<R>(state, -1, draw + 7);
        if (fate == 5)
            for (int ply = 0; ply < 5; ++ply)
                play_ply<R>(state, -1, draw + 11 * static_cast<std::uint64_t>(ply));
        std::memcpy(mine, &state, sizeof state);
        for (std::size_t w = 0; w < kWords; ++w)
            words[w * agents + agent] = mine[w];
    }
}

// A battle stands still before every second frame, and moves a little before the others.
inline void play_battle(std::vector<std::int32_t>& words, const std::vector<std::int32_t>& actions,
                        std::uint64_t frame) {
    if (frame % 2 == 1) return;
    for (std::size_t agent = 0; agent < actions.size(); ++agent)
        for (std::size_t axis = 0; axis < 2; ++axis)
            words[axis * actions.size() + agent] += (actions[agent] + static_cast<std::int32_t>(axis)) % 3 * 40;
}

inline void play_words(const std::string& game, std::vector<std::int32_t>& words,
                       const std::vector<std::int32_t>& actions, std::uint64_t frame) {
    if (game == "skirmish") play_battle(words, actions, frame);
    if (game == "connect_four") play_states<rules::ConnectFour>(words, actions, frame);
    if (game == "test_dice_race") play_states<DiceRace>(words, actions, frame);
    if (game == "test_duel") play_states<Duel>(words, actions, frame);
    if (game == "test_nim") play_states<Nim>(words, actions, frame);
}

}  // namespace augur::test

#endif
