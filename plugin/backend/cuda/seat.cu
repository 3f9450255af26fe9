#include "backend/cuda/seat.h"

#include "backend/cuda/slices.h"

namespace augur::cuda {

std::uint64_t row_work(const core::NetworkView& net) {
    std::uint64_t sum = 0;
    for (std::uint32_t s = 0; s < net.step_count; ++s) {
        const core::NetworkStep& step = net.steps[s];
        const core::NetworkWindow& w = step.window;
        if (step.op == core::NetworkOp::dense || step.op == core::NetworkOp::matmul)
            sum += static_cast<std::uint64_t>(step.groups == 0 ? 1 : step.groups) * step.m * step.k * step.n;
        else if (step.op == core::NetworkOp::conv)
            sum += static_cast<std::uint64_t>(w.out_channels) * w.out_height * w.out_width *
                   (w.channels / (w.groups == 0 ? 1 : w.groups)) * w.kernel_h * w.kernel_w;
        else
            sum += net.tensors[step.output].count;
    }
    return sum;
}

bool is_heavy_work(std::uint64_t each_row, std::uint32_t rows) {
    constexpr std::uint64_t kLightRow = 1u << 20;
    return each_row * rows > kLightRow * 4096;
}

CudaSeat::CudaSeat(std::shared_ptr<Device> device, const NetworkUse& use, std::optional<FusedPlan> fused,
                   std::uint32_t rows)
    : device_(std::move(device)),
      network_(static_cast<const CudaNetwork&>(*use.network)),
      fused_(std::move(fused)),
      rows_(rows),
      graphs_{FrameGraph(*device_), FrameGraph(*device_), FrameGraph(*device_), FrameGraph(*device_)},
      block_(device_) {
    view_.value_kind = use.value_kind;
    view_.value_scale = use.value_scale;
    block_bytes_ = place(nullptr);
}

std::uint64_t CudaSeat::place(unsigned char* base) {
    Slices slices(reinterpret_cast<std::uintptr_t>(base));
    const auto take = [&slices](auto*& pointer, std::uint64_t count) { slices.take(pointer, count); };
    if (fused_) {
        take(fused_network_, 1);
        uint4* weights = nullptr;
        take(weights, fused_->network.weight_words);
        std::uint32_t* constants = nullptr;
        take(constants, fused_->network.constant_words);
        view_.fused = fused_network_;
        view_.weights = weights;
        view_.constants = constants;
        return slices.bytes();
    }
    const core::NetworkView& net = network_.program().network;
    take(view_.features, static_cast<std::uint64_t>(rows_) * net.tensors[net.inputs[0]].count);
    batch_ = {};
    batch_.inputs[0] = view_.features;
    batch_.row_capacity = rows_;
    const auto head = [&](core::NetworkHead which, const float*& out) {
        const std::uint32_t output = net.heads[static_cast<std::uint32_t>(which)];
        if (output == core::kNoHead) return;
        if (batch_.outputs[output] == nullptr)
            take(batch_.outputs[output], static_cast<std::uint64_t>(rows_) * net.tensors[net.outputs[output]].count);
        out = batch_.outputs[output];
    };
    head(core::NetworkHead::policy, view_.logits);
    head(core::NetworkHead::value, view_.values);
    unsigned char* scratch = nullptr;
    take(scratch, network_.scratch_bytes(rows_));
    batch_.scratch = scratch;
    return slices.bytes();
}

augur_result CudaSeat::allocate(cudaStream_t stream, std::string& message) {
    DeviceHealth& health = device_->health();
    augur_result result = block_.allocate(block_bytes_, "the network's working memory", stream, message);
    if (result != AUGUR_OK) return result;
    place(block_.data());
    const auto copy = [&](const void* to, const void* from, std::size_t bytes) {
        if (result == AUGUR_OK && bytes > 0)
            result = health.check(cudaMemcpyAsync(const_cast<void*>(to), from, bytes, cudaMemcpyHostToDevice, stream),
                                  "copying the network's weights", message);
    };
    if (fused_) {
        copy(view_.fused, &fused_->network, sizeof(FusedNetwork));
        copy(view_.weights, fused_->weights.data(), fused_->weights.size() * sizeof(std::uint32_t));
        copy(view_.constants, fused_->constants.data(), fused_->constants.size() * sizeof(std::uint32_t));
    }
    if (result == AUGUR_OK) result = health.check(cudaStreamSynchronize(stream), "cudaStreamSynchronize", message);
    return result;
}

void CudaSeat::add_network(GraphChain& chain, const std::uint32_t* rows) const {
    NetworkBatch batch = batch_;
    batch.rows = rows;
    network_.add_to(chain, batch);
}

bool CudaSeat::is_heavy() const {
    return is_heavy_work(row_work(network_.program().network), rows_);
}

}  // namespace augur::cuda
