// A frame's graph, built node by node (no stream is captured) and launched once a frame.
#ifndef AUGUR_BACKEND_CUDA_GRAPH_H
#define AUGUR_BACKEND_CUDA_GRAPH_H

#include <cuda_runtime.h>

#include <string>

#include "backend/cuda/device.h"

namespace augur::cuda {

// The slower form of a kernel, which also measures, for frames that are watched: what it is and whose place it takes.
struct WatchedKernel {
    cudaGraphNode_t node = nullptr;  // null: there is none
    void* function = nullptr;
    unsigned blocks = 0;
};

// A frame's graph and its executable forms: the plain one, and where a kernel has a form that measures, one with that
// in its place. (A second node that finds it is not its turn costs every frame; changing the kernel of one executable
// form costs the host more than the launch, in the two frames of a period that change it.)
class FrameGraph {
  public:
    explicit FrameGraph(Device& device) : device_(device) {}
    ~FrameGraph() {
        if (device_.health().lost()) return;  // every call would fail; the driver frees at exit
        const ContextScope scope(device_);
        for (cudaGraphExec_t executable : {plain_, watched_})
            if (executable != nullptr) cudaGraphExecDestroy(executable);
        if (graph_ != nullptr) cudaGraphDestroy(graph_);
    }
    FrameGraph(const FrameGraph&) = delete;
    FrameGraph& operator=(const FrameGraph&) = delete;

    cudaGraph_t graph() const { return graph_; }
    // What a frame launches.
    cudaGraphExec_t executable(bool watched = false) const {
        return watched && watched_ != nullptr ? watched_ : plain_;
    }

    augur_result create(std::string& message) {
        return device_.health().check(cudaGraphCreate(&graph_, 0), "cudaGraphCreate", message);
    }
    // After the last node was added.
    augur_result finish(cudaStream_t stream, std::string& message, const WatchedKernel& kernel = {}) {
        augur_result result = make_executable(&plain_, {}, stream, message);
        if (result == AUGUR_OK && kernel.node != nullptr) result = make_executable(&watched_, kernel, stream, message);
        return result;
    }

  private:
    augur_result make_executable(cudaGraphExec_t* executable, const WatchedKernel& kernel, cudaStream_t stream,
                                 std::string& message) {
        DeviceHealth& health = device_.health();
        augur_result result =
            health.check(cudaGraphInstantiate(executable, graph_, 0), "cudaGraphInstantiate", message);
        if (result == AUGUR_OK && kernel.node != nullptr) {
            cudaKernelNodeParams params{};
            cudaError_t error = cudaGraphKernelNodeGetParams(kernel.node, &params);
            params.func = kernel.function;
            params.gridDim = dim3(kernel.blocks);
            if (error == cudaSuccess) error = cudaGraphExecKernelNodeSetParams(*executable, kernel.node, &params);
            result = health.check(error, "the form of the search that measures", message);
        }
        if (result == AUGUR_OK) result = health.check(cudaGraphUpload(*executable, stream), "cudaGraphUpload", message);
        return result;
    }

    Device& device_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t plain_ = nullptr, watched_ = nullptr;
};

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

    // The same for a kernel with a form that measures, with the same arguments. One at most.
    template <class... Parameters, class... Arguments>
    void add_watched(void (*plain)(Parameters...), unsigned plain_blocks, void (*watched)(Parameters...),
                     unsigned watched_blocks, unsigned threads, std::size_t shared_bytes, Arguments... arguments) {
        add_shared(plain, plain_blocks, threads, shared_bytes, arguments...);
        watched_ = {last_, reinterpret_cast<void*>(watched), watched_blocks};
    }
    const WatchedKernel& watched_kernel() const { return watched_; }

    // Lets a kernel have that much dynamic shared memory; more than 48 KB must be asked for.
    template <class... Parameters>
    void allow_shared(void (*kernel)(Parameters...), std::size_t shared_bytes) {
        if (error_ == cudaSuccess)
            error_ = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(shared_bytes));
    }

    // What a loop of this graph is steered by.
    cudaGraphConditionalHandle make_loop_handle() {
        cudaGraphConditionalHandle handle{};
        if (error_ == cudaSuccess)
            error_ = cudaGraphConditionalHandleCreate(&handle, graph_, 0, cudaGraphCondAssignDefault);
        return handle;
    }

    // Keeps the error of a chain in the body of a loop of this one.
    void take_error(const GraphChain& body) {
        if (error_ == cudaSuccess) error_ = body.error_;
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
    WatchedKernel watched_{};
    cudaError_t error_ = cudaSuccess;
};

}  // namespace augur::cuda

#endif  // AUGUR_BACKEND_CUDA_GRAPH_H
