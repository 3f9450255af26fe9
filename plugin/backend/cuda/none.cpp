// Stands in for the CUDA backend in a build without CUDA.
#include "backend/backend.h"

namespace augur {

augur_result make_cuda_backend(const BackendHost&, std::unique_ptr<Backend>* out, std::string& message) {
    out->reset();
    message = "this build of Augur has no CUDA backend";
    return AUGUR_ERROR_UNSUPPORTED;
}

CudaProbe probe_cuda() {
    return {AUGUR_ERROR_UNSUPPORTED, 0, 0, 0, "this build of Augur has no CUDA backend"};
}

}  // namespace augur
