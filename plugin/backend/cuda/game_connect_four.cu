#include "backend/cuda/engine.cuh"
#include "rules/connect_four.h"

namespace augur::cuda {

CudaGame connect_four_game() {
    return make_cuda_game<rules::ConnectFour>();
}

}  // namespace augur::cuda
