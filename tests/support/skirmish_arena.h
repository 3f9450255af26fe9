// Army against army: who plays skirmish better. Whole battles from a seed, the same in every run and on every machine.

#ifndef AUGUR_TESTS_SUPPORT_SKIRMISH_ARENA_H
#define AUGUR_TESTS_SUPPORT_SKIRMISH_ARENA_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/settings.h"
#include "support/skirmish_world.h"

namespace augur::test {

// Chooses one unit's action from its own view; ply and unit are there for random streams.
using SkirmishController =
    std::function<int(const rules::Skirmish::State& state, std::uint32_t unit, std::uint32_t ply)>;

// Any legal action, all equally likely.
SkirmishController random_controller(std::uint64_t seed);

// What the rules suppose of everybody but the agent: strike or mend the nearest in reach, else walk to it; towards the
// objective where there is nobody.
SkirmishController script_controller();

// The legal action with the best reward of this very ply; the ability before a strike before anything else among
// equals; where nothing pays at once, a step towards the nearest it could strike or mend, or towards the objective.
SkirmishController greedy_controller();

// A forest tree of so many simulations for every unit and ply; where trees are carried over, every unit keeps its own
// for the length of a battle.
struct SearchOptions {
    std::uint32_t simulations = 32;
    core::Selection selection = core::Selection::puct;
    float exploration = 0;      // 0: the rules' own
    std::uint32_t horizon = 0;  // 0: the rules' own
    std::uint64_t seed = 1;
    core::CarryOver carry_over = core::CarryOver::none;
    // Frames of so many simulations a ply. In all but the last the others stand up to `drift` beside where they are, as
    // in a world that moves a little from frame to frame.
    std::uint32_t frames = 1;
    std::int32_t drift = 0;
    bool renew = false;  // trees are reset with every ply, so that they go on within a ply only
};
SkirmishController search_controller(const SearchOptions& options);

struct BattleSetup {
    int melee = 3, ranged = 3, healers = 1;  // a side
    int plies = 240;                         // then the side with more health has won
};

// Two equal armies, one the other's reflection through the middle, drawn from the seed.
SkirmishWorld make_battle(const BattleSetup& setup, std::uint64_t seed);

struct BattleResult {
    double score;  // of team 0: 1 won, 0.5 drawn, 0 lost
    int plies;
    int health[2];
    int living[2];
};
BattleResult play_battle(const BattleSetup& setup, std::uint64_t seed, const SkirmishController& team0,
                         const SkirmishController& team1);

}  // namespace augur::test

#endif
