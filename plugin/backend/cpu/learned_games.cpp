#include "backend/cpu/learned_games.h"

#include "backend/cpu/engine.h"

namespace augur {

const CpuGame& learned_cpu_game(std::uint32_t action_count) {
    static const CpuGame games[] = {
        make_cpu_game<core::LatentGame<4>>(),  make_cpu_game<core::LatentGame<8>>(),
        make_cpu_game<core::LatentGame<16>>(), make_cpu_game<core::LatentGame<32>>(),
        make_cpu_game<core::LatentGame<64>>(),
    };
    static_assert(std::size(games) == std::size(core::kLatentSizes));
    std::size_t at = 0;
    while (games[at].info->action_count < action_count)
        ++at;
    return games[at];
}

}  // namespace augur
