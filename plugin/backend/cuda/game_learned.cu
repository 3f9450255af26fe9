#include "backend/cuda/engine.cuh"

namespace augur::cuda {

CudaGame latent_game_4() {
    return make_cuda_game<core::LatentGame<4>>();
}

CudaGame latent_game_8() {
    return make_cuda_game<core::LatentGame<8>>();
}

CudaGame latent_game_16() {
    return make_cuda_game<core::LatentGame<16>>();
}

}  // namespace augur::cuda
