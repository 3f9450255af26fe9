// What the small test games share: they have no host fields to gather from, and most are told by a few numbers.

#ifndef AUGUR_TESTS_SUPPORT_GAMES_COMMON_H
#define AUGUR_TESTS_SUPPORT_GAMES_COMMON_H

#include <augur/kit/rules.h>

#include <atomic>
#include <cstdint>

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
    static constexpr kit::FieldInfo kFields[] = {{"unused", "Not read: the tests write the roots themselves."}};
};

// Illegal actions that a search has handed to a game's step, over the whole process. Tests reset and read it.
inline std::atomic<int> illegal_steps{0};

// For the step of a game that wants to be told: counts an action that is not in the mask.
template <int K>
void expect_legal(const kit::ActionMask<K>& legal, std::int32_t action) {
    if (action < 0 || action >= K || !legal.test(action)) ++illegal_steps;
}

}  // namespace augur::test

#endif
