// The kernels of networks for any machine.
#define AUGUR_THIS_LEVEL base
#include "backend/cpu/network_level.inl"

namespace augur {

const NetworkKernels& network_kernels_base() {
    return kKernels;
}

}  // namespace augur
