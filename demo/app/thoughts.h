// Reading one agent's mind after a frame.
#pragma once

#include "scenes/scene.h"

namespace augur::demo {

/// Reads the result, the root and the tree of `agent` from the last collected frame. thoughts.valid says whether it was
/// searched. Not for every agent every frame: on the GPU each call copies that agent's tree.
void read_thoughts(PlannerSession& session, std::uint32_t agent, Thoughts& thoughts);

}  // namespace augur::demo
