#include "backend/cpu/network.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "backend/cpu/arena.h"
#include "core/half.h"
#include "core/network_math.h"

namespace augur {
namespace {

using core::NetworkOp;
using core::NetworkStep;
using core::NetworkView;

constexpr std::size_t kLine = 64;  // of the cache, and the widest vector

// What a batch is run in: parts whose tensors stay in a core's cache, and whole groups of rows of every level's tiles.
constexpr std::size_t kPartBytes = 384 * 1024;
constexpr std::uint32_t kPartUnit = 24;

std::size_t rounded(std::size_t x, std::size_t unit) {
    return (x + unit - 1) / unit * unit;
}

std::uint32_t channels_of(const NetworkStep& step) {
    return step.op == NetworkOp::dense ? step.n : step.window.out_channels;
}

std::size_t weights_of(const NetworkStep& step) {
    if (step.op == NetworkOp::dense) return static_cast<std::size_t>(step.k) * step.n;
    const core::NetworkWindow& w = step.window;
    return static_cast<std::size_t>(w.out_channels) * (w.channels / w.groups) * w.kernel_h * w.kernel_w;
}

bool has_weights(const NetworkStep& step) {
    return step.op == NetworkOp::dense || step.op == NetworkOp::conv;
}

}  // namespace

augur_result CpuNetwork::make(const core::NetworkProgram& program, Memory& memory, CpuLevel level,
                              std::unique_ptr<CpuNetwork>* out, std::string& message) {
    std::unique_ptr<CpuNetwork> network(new CpuNetwork(program, memory, level));
    network->block_bytes_ = network->place(nullptr);
    network->block_ = memory.allocate(network->block_bytes_, kArenaAlignment);
    if (network->block_ == nullptr) {
        message = "no memory for " + std::to_string(network->block_bytes_) + " bytes of packed weights";
        return AUGUR_ERROR_OUT_OF_MEMORY;
    }
    network->place(network->block_);
    network->pack();
    *out = std::move(network);
    return AUGUR_OK;
}

CpuNetwork::CpuNetwork(const core::NetworkProgram& program, Memory& memory, CpuLevel level)
    : program_(program), memory_(memory), kernels_(network_kernels(level)) {
    const NetworkView& net = program_.network;
    for (std::uint32_t i = 0; i < net.input_count; ++i) {
        const bool rounds =
            program_.precision == core::Precision::fp16 && program_.half.single_tensors[net.inputs[i]] == 0;
        direct_.push_back(!rounds && !is_written(net.inputs[i]));
    }
    steps_.reserve(net.step_count);
    for (std::uint32_t s = 0; s < net.step_count; ++s)
        steps_.push_back(plan(net.steps[s]));
    for (const Step& step : steps_)
        if (step.step->op == NetworkOp::conv)
            workspace_bytes_ = std::max(workspace_bytes_, kernels_.conv_workspace(step.step->window));
}

CpuNetwork::~CpuNetwork() {
    if (block_ != nullptr) memory_.release(block_, block_bytes_);
}

bool CpuNetwork::is_written(std::uint32_t tensor) const {
    const NetworkView& net = program_.network;
    return std::any_of(net.steps, net.steps + net.step_count,
                       [&](const NetworkStep& step) { return step.output == tensor; });
}

CpuNetwork::Operand CpuNetwork::operand(std::uint32_t tensor) const {
    const NetworkView& net = program_.network;
    if (tensor == core::kNoTensor) return {Operand::Kind::none, 0, 0, 0, nullptr};
    const core::NetworkTensor& t = net.tensors[tensor];
    if (t.constant != 0) return {Operand::Kind::constant, 0, 0, t.count, net.weights + t.offset};
    for (std::uint32_t i = 0; i < net.input_count; ++i)
        if (net.inputs[i] == tensor && direct_[i]) return {Operand::Kind::input, i, 0, t.count, nullptr};
    return {Operand::Kind::scratch, 0, t.offset, t.count, nullptr};
}

CpuNetwork::Step CpuNetwork::plan(const NetworkStep& step) const {
    using core::Activation;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Step planned{};
    planned.step = &step;
    planned.a = operand(step.inputs[0]);
    planned.b = operand(step.inputs[1]);
    planned.residual = operand(has_weights(step) ? step.residual : core::kNoTensor);
    planned.output = operand(step.output);
    planned.low = -kInfinity;
    planned.high = kInfinity;
    if (step.activation == Activation::relu) {
        planned.low = 0.0f;
    } else if (step.activation == Activation::clip) {
        planned.low = step.alpha;
        planned.high = step.beta;
    } else {
        planned.activate = has_weights(step) && step.activation != Activation::none;
    }
    planned.round = program_.precision == core::Precision::fp16 && program_.half.single_tensors[step.output] == 0;
    const bool part = step.op == NetworkOp::rearrange;
    planned.part_first = part ? step.part_first : 0;
    planned.part_count = part ? core::rearranged_count(program_.network.tensors[step.output], step)
                              : program_.network.tensors[step.output].count;
    return planned;
}

std::size_t CpuNetwork::place(void* base) {
    Arena arena(base);
    for (Step& step : steps_) {
        if (!has_weights(*step.step)) continue;
        const std::size_t packed = step.step->op == NetworkOp::dense ? kernels_.dense_floats(step.step->k, step.step->n)
                                                                     : kernels_.conv_floats(step.step->window);
        step.packed = arena.take<float>(packed);
        step.bias = arena.take<float>(rounded(channels_of(*step.step), kernels_.panel_width));
    }
    return arena.size_bytes();
}

void CpuNetwork::pack() {
    const NetworkView& net = program_.network;
    std::vector<float> halves;
    for (const Step& planned : steps_) {
        const NetworkStep& step = *planned.step;
        if (!has_weights(step)) continue;
        const float* weights = net.weights + step.weights;
        if (planned.round) {
            const std::uint16_t* from = program_.half.weights + step.weights;
            halves.resize(weights_of(step));
            std::transform(from, from + halves.size(), halves.begin(),
                           [](std::uint16_t half) { return core::float_of_half(half); });
            weights = halves.data();
        }
        auto* packed = const_cast<float*>(planned.packed);
        auto* bias = const_cast<float*>(planned.bias);
        if (step.op == NetworkOp::dense)
            kernels_.pack_dense(weights, step.k, step.n, packed);
        else
            kernels_.pack_conv(weights, step.window, packed);
        const std::uint32_t channels = channels_of(step);
        std::fill_n(bias, rounded(channels, kernels_.panel_width), 0.0f);
        if (step.bias != core::kNoWeights) std::copy_n(net.weights + step.bias, channels, bias);
    }
}

std::uint32_t CpuNetwork::part_rows(std::uint32_t rows) const {
    const std::size_t row_bytes = std::max<std::size_t>(program_.network.scratch_count, 1) * sizeof(float);
    std::size_t part = std::max<std::size_t>(kPartBytes / row_bytes, 1);
    if (part > kPartUnit) part = part / kPartUnit * kPartUnit;
    return static_cast<std::uint32_t>(std::min<std::size_t>(part, rows));
}

std::size_t CpuNetwork::scratch_bytes(std::uint32_t rows) const {
    const std::size_t tensors = part_rows(rows) * static_cast<std::size_t>(program_.network.scratch_count);
    return kLine + rounded(tensors * sizeof(float), kLine) + workspace_bytes_;
}

void CpuNetwork::run(const float* const* inputs, float* const* outputs, std::uint32_t rows, void* scratch) const {
    const NetworkView& net = program_.network;
    const auto address = reinterpret_cast<std::uintptr_t>(scratch);
    auto* aligned = static_cast<unsigned char*>(scratch) + (rounded(address, kLine) - address);
    const std::uint32_t part = part_rows(rows);
    for (std::uint32_t first = 0; first < rows; first += part) {
        const float* from[core::kNetworkInputs] = {};
        float* to[core::kNetworkOutputs] = {};
        for (std::uint32_t i = 0; i < net.input_count; ++i)
            from[i] = inputs[i] + static_cast<std::size_t>(first) * net.tensors[net.inputs[i]].count;
        for (std::uint32_t o = 0; o < net.output_count; ++o)
            to[o] = outputs[o] + static_cast<std::size_t>(first) * net.tensors[net.outputs[o]].count;
        run_part(from, to, std::min(part, rows - first), aligned);
    }
}

void CpuNetwork::run_part(const float* const* inputs, float* const* outputs, std::uint32_t rows,
                          unsigned char* scratch) const {
    const NetworkView& net = program_.network;
    auto* tensors = reinterpret_cast<float*>(scratch);
    const std::size_t tensor_bytes = rows * static_cast<std::size_t>(net.scratch_count) * sizeof(float);
    auto* workspace = reinterpret_cast<float*>(scratch + rounded(tensor_bytes, kLine));
    for (std::uint32_t i = 0; i < net.input_count; ++i) {
        if (direct_[i]) continue;
        const core::NetworkTensor& tensor = net.tensors[net.inputs[i]];
        float* to = tensors + tensor.offset * rows;
        const std::size_t count = static_cast<std::size_t>(rows) * tensor.count;
        if (program_.precision == core::Precision::fp16 && program_.half.single_tensors[net.inputs[i]] == 0)
            kernels_.round_to_half(inputs[i], to, count);
        else
            std::memcpy(to, inputs[i], count * sizeof(float));
    }
    for (const Step& step : steps_)
        run_step(step, inputs, rows, tensors, workspace);
    for (std::uint32_t o = 0; o < net.output_count; ++o) {
        const Operand from = operand(net.outputs[o]);
        const std::size_t count = static_cast<std::size_t>(rows) * from.count;
        if (from.kind == Operand::Kind::constant) {
            for (std::uint32_t r = 0; r < rows; ++r)
                std::memcpy(outputs[o] + static_cast<std::size_t>(r) * from.count, from.data,
                            from.count * sizeof(float));
        } else if (from.kind == Operand::Kind::input) {
            std::memcpy(outputs[o], inputs[from.input], count * sizeof(float));
        } else {
            std::memcpy(outputs[o], tensors + from.offset * rows, count * sizeof(float));
        }
    }
}

void CpuNetwork::run_step(const Step& planned, const float* const* inputs, std::uint32_t rows, float* tensors,
                          float* workspace) const {
    const NetworkStep& step = *planned.step;
    const auto find = [&](const Operand& operand) -> const float* {
        switch (operand.kind) {
            case Operand::Kind::none:
                return nullptr;
            case Operand::Kind::constant:
                return static_cast<const float*>(operand.data);
            case Operand::Kind::input:
                return inputs[operand.input];
            case Operand::Kind::scratch:
                return tensors + operand.offset * rows;
        }
        return nullptr;
    };
    const auto stride = [](const Operand& operand) {
        return operand.kind == Operand::Kind::constant ? std::size_t{0} : operand.count;
    };
    float* out = tensors + planned.output.offset * rows;
    const std::size_t out_stride = planned.output.count;
    const FloatEnd end = {find(planned.residual), planned.low, planned.high};
    if (step.op == NetworkOp::dense) {
        kernels_.dense({find(planned.a), out, rows * step.m, step.k, step.n, planned.packed, planned.bias, end});
    } else if (step.op == NetworkOp::conv) {
        kernels_.conv({&step.window, find(planned.a), out, rows, planned.packed, planned.bias, workspace, end});
    } else {
        kernels_.step({&program_.network, &step, find(planned.a), find(planned.b), stride(planned.a), stride(planned.b),
                       out, out_stride, rows});
    }
    if (planned.activate) kernels_.activate(step.activation, step.alpha, step.beta, out, rows * out_stride);
    if (!planned.round) return;
    if (planned.part_count == out_stride) return kernels_.round_to_half(out, out, rows * out_stride);
    for (std::uint32_t r = 0; r < rows; ++r) {
        float* part = out + r * out_stride + planned.part_first;
        kernels_.round_to_half(part, part, planned.part_count);
    }
}

}  // namespace augur
