// A unit's surroundings as a model of the rules "skirmish" sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/skirmish_world.h"

namespace augur::demo {

/// The 93 numbers that assets/models/skirmish.md lists: the same that Augur gathers for the unit from the bound arrays.
/// Empty for a fallen unit. Cost: one look at every unit.
std::vector<float> seen_by(const std::vector<WorldUnit>& units, std::uint32_t unit);

}  // namespace augur::demo
