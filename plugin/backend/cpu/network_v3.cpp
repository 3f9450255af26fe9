// The kernels of networks for x86-64-v3.
#define AUGUR_THIS_LEVEL v3
#include "backend/cpu/network_level.inl"

namespace augur {

const NetworkKernels& network_kernels_v3() {
    return kKernels;
}

}  // namespace augur
