// What the small test games share. They are told by a few words that a host would keep just so: their only field is the
// state.

#ifndef AUGUR_TESTS_SUPPORT_GAMES_COMMON_H
#define AUGUR_TESTS_SUPPORT_GAMES_COMMON_H

#include <augur/kit/rules.h>

#include <atomic>
#include <cstdint>
#include <cstring>

namespace augur::test {

// The members of the rules concept that say nothing for most test games. A game derives from it and hides what it
// needs.
struct TestGameBase {
    static constexpr bool kChance = false;
    static constexpr bool kProvable = false;
    static constexpr std::int32_t kDiscount = kit::kOne;
    static constexpr float kPuct = 1.5f;
    static constexpr float kUct = 1.0f;
    static constexpr int kNeighbours = 0;
};

// Reads a state of whole words from the only field of its game.
template <class State>
AUGUR_HD kit::Gathered gather_words(State& state, const kit::Fields& fields, std::uint32_t agent) {
    std::int32_t words[sizeof(State) / 4];
    for (std::uint32_t w = 0; w < sizeof(State) / 4; ++w)
        words[w] = fields.get(w, agent);
    std::memcpy(&state, words, sizeof(State));
    return kit::Gathered::ready;
}

// Illegal actions that a search has handed to a game's step on the host, over the whole process. Tests reset and read
// it.
inline std::atomic<int> illegal_steps{0};

// For the step of a game that wants to be told: counts an action that is not in the mask.
template <int K>
AUGUR_HD void expect_legal(const kit::ActionMask<K>& legal, std::int32_t action) {
#if AUGUR_DEVICE_CODE
    static_cast<void>(legal);
    static_cast<void>(action);
#else
    if (action < 0 || action >= K || !legal.test(action)) ++illegal_steps;
#endif
}

}  // namespace augur::test

#endif
