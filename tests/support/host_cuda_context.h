// A CUDA context such as a host has that renders with CUDA of its own.

#ifndef AUGUR_TESTS_SUPPORT_HOST_CUDA_CONTEXT_H
#define AUGUR_TESTS_SUPPORT_HOST_CUDA_CONTEXT_H

namespace augur::test {

// The CUcontext of the first device, current on this thread afterwards; null where there is no GPU.
void* host_cuda_context();

}  // namespace augur::test

#endif
