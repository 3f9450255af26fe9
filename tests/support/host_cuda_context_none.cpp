#include "support/host_cuda_context.h"

namespace augur::test {

void* host_cuda_context() {
    return nullptr;
}

}  // namespace augur::test
