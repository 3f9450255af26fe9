// Learned games as the CPU backend searches them.
#ifndef AUGUR_BACKEND_CPU_LEARNED_GAMES_H
#define AUGUR_BACKEND_CPU_LEARNED_GAMES_H

#include "backend/cpu/games.h"

namespace augur {

// With the least room for actions that is enough; action_count: 1 .. core::kMostLatentActions.
const CpuGame& learned_cpu_game(std::uint32_t action_count);

}  // namespace augur

#endif  // AUGUR_BACKEND_CPU_LEARNED_GAMES_H
