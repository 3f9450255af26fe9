// The games that the CUDA backend can search. A game is one row and one .cu file; tests add rows of their own.
#ifndef AUGUR_BACKEND_CUDA_GAMES_H
#define AUGUR_BACKEND_CUDA_GAMES_H

#include "backend/backend.h"

namespace augur::cuda {

class Device;

struct CudaGame {
    const core::RulesInfo* info;
    EngineMemory (*memory)(const EngineDesc& desc, const std::shared_ptr<Device>& device);
    std::uint64_t (*seat_bytes)(const EngineDesc& desc, const std::shared_ptr<Device>& device, const NetworkUse& use);
    augur_result (*make_engine)(const EngineDesc& desc, std::shared_ptr<Device> device, std::unique_ptr<Engine>* out,
                                std::string& message);
};

CudaGame connect_four_game();
CudaGame skirmish_game();

// Learned games, with the least room for actions that is enough; action_count: 1 .. core::kMostLatentActions.
const CudaGame& learned_cuda_game(std::uint32_t action_count);
CudaGame latent_game_4();
CudaGame latent_game_8();
CudaGame latent_game_16();
CudaGame latent_game_32();
CudaGame latent_game_64();

// Adds a game for the rest of the process. Not thread safe: call it before any context exists.
void add_cuda_game(const CudaGame& game);

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_GAMES_H
