// A frame's graph, built node by node (no stream is captured) and launched once a frame.
#ifndef AUGUR_BACKEND_CUDA_GRAPH_H
#define AUGUR_BACKEND_CUDA_GRAPH_H

#include <cuda_runtime.h>

namespace augur::cuda {

// A chain of kernels. The first failure is kept and later calls do nothing.
class GraphChain {
  public:
    GraphChain(cudaGraph_t graph, int priority) : graph_(graph), priority_(priority) {}

    // kernel<<<blocks, threads, shared_bytes>>>(arguments...) after everything added so far.
    template <class... Parameters, class... Arguments>
    void add_shared(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared_bytes,
                    Arguments... arguments) {
        if (error_ != cudaSuccess) return;
        void* pointers[] = {static_cast<void*>(&arguments)...};
        cudaKernelNodeParams params{};
        params.func = reinterpret_cast<void*>(kernel);
        params.gridDim = dim3(blocks);
        params.blockDim = dim3(threads);
        params.kernelParams = pointers;
        params.sharedMemBytes = static_cast<unsigned>(shared_bytes);
        cudaGraphNode_t node;
        error_ = cudaGraphAddKernelNode(&node, graph_, last_ != nullptr ? &last_ : nullptr, last_ != nullptr ? 1 : 0,
                                        &params);
        if (error_ != cudaSuccess) return;
        last_ = node;
        cudaLaunchAttributeValue value{};
        value.priority = priority_;
        error_ = cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &value);
    }

    template <class... Parameters, class... Arguments>
    void add(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, Arguments... arguments) {
        add_shared(kernel, blocks, threads, 0, arguments...);
    }

    // Adds a loop that runs while its handle is set; fill the returned graph with its body.
    cudaGraph_t add_while(cudaGraphConditionalHandle handle) {
        if (error_ != cudaSuccess) return nullptr;
        cudaGraphNodeParams params{};
        params.type = cudaGraphNodeTypeConditional;
        params.conditional.handle = handle;
        params.conditional.type = cudaGraphCondTypeWhile;
        params.conditional.size = 1;
        cudaGraphNode_t node;
#if CUDART_VERSION >= 13000
        error_ = cudaGraphAddNode(&node, graph_, &last_, nullptr, 1, &params);
#else
        error_ = cudaGraphAddNode(&node, graph_, &last_, 1, &params);
#endif
        if (error_ != cudaSuccess) return nullptr;
        last_ = node;
        return params.conditional.phGraph_out[0];
    }

    cudaError_t error() const {
        return error_;
    }

  private:
    cudaGraph_t graph_;
    int priority_;
    cudaGraphNode_t last_ = nullptr;
    cudaError_t error_ = cudaSuccess;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_GRAPH_H
