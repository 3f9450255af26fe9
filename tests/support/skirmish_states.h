// Skirmish states for tests: random ones, and small ones written out.

#ifndef AUGUR_TESTS_SUPPORT_SKIRMISH_STATES_H
#define AUGUR_TESTS_SUPPORT_SKIRMISH_STATES_H

#include <cstdint>
#include <utility>
#include <vector>

#include "rules/skirmish.h"
#include "support/skirmish_world.h"
#include "support/split_mix.h"

namespace augur::test {

// One to nine units around the middle of an unbounded world, unit 0 the agent, the others ordered by their distance to
// it, so that unit i sits in seat i. spread: farthest along an axis; up to 1400 everybody is in everybody's sight.
SkirmishWorld random_skirmish(SplitMix64& random, int spread);

// The agent's state with friends and enemies as given, places relative to the agent, who is friends[0]. Seats: the
// friends in their order, then the enemies.
rules::Skirmish::State skirmish_state(const std::vector<SkirmishUnit>& friends,
                                      const std::vector<SkirmishUnit>& enemies);

// One ply of the rules, compiled once for all tests.
kit::Step<1> skirmish_step(rules::Skirmish::State& state, int action);

// A world with a unit per seat; the agent's side is team 1. origin: where the agent stood at the root.
SkirmishWorld skirmish_of(const rules::Skirmish::State& state, const SkirmishUnit& origin);

// The state with every place mirrored through the agent's root.
rules::Skirmish::State turned_round(rules::Skirmish::State state);

// Whether two seats are equally far from a third or equally weak, so that the seat number decides something.
bool has_ties(const rules::Skirmish::State& state);

// The seats' words as a sorted list: equal for states that differ in the order of the others only.
std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_seats(const rules::Skirmish::State& state);

}  // namespace augur::test

#endif
