// The kernels of networks for x86-64-v4.
#define AUGUR_THIS_LEVEL v4
#include "backend/cpu/network_level.inl"

namespace augur {

const NetworkKernels& network_kernels_v4() {
    return kKernels;
}

}  // namespace augur
