// Networks on the CUDA backend, for tests and benchmarks: device memory with guards, a graph that evaluates a batch.

#ifndef AUGUR_TESTS_GPU_NETWORK_GPU_H
#define AUGUR_TESTS_GPU_NETWORK_GPU_H

#include <cuda_runtime.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/cuda/network.h"
#include "model/half_weights.h"
#include "model/quantise.h"
#include "support/network_zoo.h"

namespace augur::test {

inline void must(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Bytes on the device, filled with a pattern, with more of it behind them.
class DeviceBytes {
  public:
    static constexpr std::size_t kGuard = 256;

    explicit DeviceBytes(std::size_t size, unsigned char pattern = 0xff) : size_(size), pattern_(pattern) {
        must(cudaMalloc(&data_, size + kGuard));
        must(cudaMemset(data_, pattern, size + kGuard));
    }
    ~DeviceBytes() { cudaFree(data_); }
    DeviceBytes(const DeviceBytes&) = delete;
    DeviceBytes& operator=(const DeviceBytes&) = delete;

    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }
    // It is there when this returns. cudaMemcpy alone may return before, and streams without blocking do not wait for
    // it.
    void fill(const void* from, std::size_t size) {
        must(cudaMemcpy(data_, from, size, cudaMemcpyHostToDevice));
        must(cudaStreamSynchronize(cudaStreamLegacy));
    }
    void take(void* to, std::size_t size) const { must(cudaMemcpy(to, data_, size, cudaMemcpyDeviceToHost)); }
    bool guard_is_whole() const {
        std::vector<unsigned char> guard(kGuard);
        must(cudaMemcpy(guard.data(), as<unsigned char>() + size_, kGuard, cudaMemcpyDeviceToHost));
        for (const unsigned char byte : guard)
            if (byte != pattern_) return false;
        return true;
    }

  private:
    void* data_ = nullptr;
    std::size_t size_;
    unsigned char pattern_;
};

// A network in one precision, with what the program stands on. possible: whether it has that form.
struct GpuProgram {
    model::HalfWeights half;
    model::Quantised quantised;
    core::NetworkProgram program{};
    bool possible = true;

    GpuProgram(const core::NetworkView& net, core::Precision precision, std::uint32_t sample_rows = 8) {
        program.network = net;
        program.precision = precision;
        if (precision == core::Precision::fp16) {
            model::HalfOverflow overflow{};
            possible = model::make_half_weights(net, &half, &overflow);
            program.half = half.view();
        } else if (precision == core::Precision::int8) {
            Batch samples(net, sample_rows, 99);
            const model::RangeMeter meter(net, samples.in(net).data(), samples.out(net).data(), samples.rows);
            std::uint32_t step = 0;
            std::string why;
            possible = model::quantise(net, meter.ranges(1.0, true), &quantised, &step, why);
            program.quantised = quantised.view();
        }
    }
};

// The device that a default context uses; null with the reason where there is none.
inline std::shared_ptr<cuda::Device> gpu_device(std::string& why_not) {
    auto device = std::make_shared<cuda::Device>();
    BackendHost host{};
    host.cuda_device = -1;
    return device->open(host, why_not) == AUGUR_OK ? device : nullptr;
}

// A graph that evaluates up to `capacity` rows of a network, so many times, and its memory.
class GpuGraph {
  public:
    GpuGraph(const cuda::CudaNetwork& network, std::uint32_t capacity, std::uint32_t times = 1)
        : net_(network.program().network) {
        cuda::NetworkBatch batch{};
        for (std::uint32_t i = 0; i < net_.input_count; ++i) {
            inputs_.push_back(std::make_unique<DeviceBytes>(bytes(net_.inputs[i]) * capacity));
            batch.inputs[i] = inputs_.back()->as<float>();
        }
        for (std::uint32_t o = 0; o < net_.output_count; ++o) {
            outputs_.push_back(std::make_unique<DeviceBytes>(bytes(net_.outputs[o]) * capacity));
            batch.outputs[o] = outputs_.back()->as<float>();
        }
        scratch_ = std::make_unique<DeviceBytes>(network.scratch_bytes(capacity));
        rows_ = std::make_unique<DeviceBytes>(sizeof(std::uint32_t));
        batch.scratch = scratch_->as<void>();
        batch.row_capacity = capacity;
        batch.rows = rows_->as<std::uint32_t>();
        must(cudaGraphCreate(&graph_, 0));
        cuda::GraphChain chain(graph_, 0);
        for (std::uint32_t i = 0; i < times; ++i)
            network.add_to(chain, batch);
        must(chain.error());
        must(cudaGraphInstantiate(&executable_, graph_, 0));
        must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~GpuGraph() {
        cudaGraphExecDestroy(executable_);
        cudaGraphDestroy(graph_);
        cudaStreamDestroy(stream_);
    }
    GpuGraph(const GpuGraph&) = delete;
    GpuGraph& operator=(const GpuGraph&) = delete;

    void put(const Batch& batch) {
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            inputs_[i]->fill(batch.inputs[i].data(), batch.inputs[i].size() * sizeof(float));
        set_rows(batch.rows);
    }
    void set_rows(std::uint32_t rows) { rows_->fill(&rows, sizeof rows); }
    void launch() { must(cudaGraphLaunch(executable_, stream_)); }
    void wait() { must(cudaStreamSynchronize(stream_)); }
    void get(Batch& batch) const {
        for (std::size_t o = 0; o < outputs_.size(); ++o)
            outputs_[o]->take(batch.outputs[o].data(), batch.outputs[o].size() * sizeof(float));
    }
    // Whether nothing was written behind any of its memory, nor behind `rows` rows of the outputs.
    bool stayed_in_bounds(std::uint32_t rows, std::uint32_t capacity) const {
        bool whole = scratch_->guard_is_whole();
        for (std::size_t o = 0; o < outputs_.size(); ++o) {
            whole = whole && outputs_[o]->guard_is_whole();
            const std::size_t each = bytes(net_.outputs[o]);
            std::vector<unsigned char> all(each * capacity);
            outputs_[o]->take(all.data(), all.size());
            for (std::size_t i = each * rows; i < all.size(); ++i)
                whole = whole && all[i] == 0xff;
        }
        return whole;
    }
    cudaStream_t stream() const { return stream_; }

  private:
    std::size_t bytes(std::uint32_t tensor) const { return std::size_t{net_.tensors[tensor].count} * sizeof(float); }

    core::NetworkView net_;
    std::vector<std::unique_ptr<DeviceBytes>> inputs_, outputs_;
    std::unique_ptr<DeviceBytes> scratch_, rows_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

}  // namespace augur::test

#endif
