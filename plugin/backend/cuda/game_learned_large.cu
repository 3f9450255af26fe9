// Learned games with many actions: in a file of their own, for the time that compiling takes.
#include "backend/cuda/engine.cuh"

namespace augur::cuda {

CudaGame latent_game_32() {
    return make_cuda_game<core::LatentGame<32>>();
}

CudaGame latent_game_64() {
    return make_cuda_game<core::LatentGame<64>>();
}

}  // namespace augur::cuda
