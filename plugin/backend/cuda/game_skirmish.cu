#include "backend/cuda/engine.cuh"
#include "rules/skirmish.h"

namespace augur::cuda {

CudaGame skirmish_game() {
    return make_cuda_game<rules::Skirmish>();
}

}  // namespace augur::cuda
