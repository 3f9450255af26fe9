#include <iterator>

#include "backend/cuda/games.h"
#include "core/latent_game.h"

namespace augur::cuda {

const CudaGame& learned_cuda_game(std::uint32_t action_count) {
    static const CudaGame games[] = {
        latent_game_4(), latent_game_8(), latent_game_16(), latent_game_32(), latent_game_64(),
    };
    static_assert(std::size(games) == std::size(core::kLatentSizes));
    std::size_t at = 0;
    while (games[at].info->action_count < action_count)
        ++at;
    return games[at];
}

}  // namespace augur::cuda
