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
constexpr std::size_t kPartBytes = 128 * 1024;
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
        const std::uint32_t tensor = net.inputs[i];
        const bool converted = rounds(tensor) || (is_int8() && program_.quantised.tensors[tensor].single == 0);
        direct_.push_back(!converted && !is_written(tensor));
    }
    steps_.reserve(net.step_count);
    for (std::uint32_t s = 0; s < net.step_count; ++s)
        steps_.push_back(plan(s));
    mark_served_outputs();
    if (is_int8())
        size_workspace_int8();
    else
        size_workspace();
}

CpuNetwork::~CpuNetwork() {
    if (block_ != nullptr) memory_.release(block_, block_bytes_);
}

bool CpuNetwork::is_written(std::uint32_t tensor) const {
    const NetworkView& net = program_.network;
    return std::any_of(net.steps, net.steps + net.step_count,
                       [&](const NetworkStep& step) { return step.output == tensor; });
}

void CpuNetwork::mark_served_outputs() {
    const NetworkView& net = program_.network;
    std::vector<std::uint32_t> served(net.tensor_count, 0);
    for (std::uint32_t o = 0; o < net.output_count; ++o)
        served[net.outputs[o]] |= 1u << o;
    for (std::uint32_t s = net.step_count; s-- > 0;) {
        const NetworkStep& step = net.steps[s];
        steps_[s].serves = served[step.output];
        for (const std::uint32_t tensor : {step.inputs[0], step.inputs[1], step.residual})
            if (tensor != core::kNoTensor) served[tensor] |= steps_[s].serves;
    }
}

bool CpuNetwork::rounds(std::uint32_t tensor) const {
    return program_.precision == core::Precision::fp16 && program_.half.single_tensors[tensor] == 0;
}

CpuNetwork::Operand CpuNetwork::operand(std::uint32_t tensor) const {
    const NetworkView& net = program_.network;
    Operand operand{};
    if (tensor == core::kNoTensor) return operand;
    const core::NetworkTensor& t = net.tensors[tensor];
    operand.kind = Operand::Kind::scratch;
    operand.offset = t.offset;
    operand.count = t.count;
    if (is_int8()) {
        const core::QuantisedTensor& quantised = program_.quantised.tensors[tensor];
        operand.single = quantised.single != 0;
        operand.scale = quantised.scale;
        operand.inverse_scale = quantised.inverse_scale;
        if (t.constant != 0 && !operand.single) operand.integers = program_.quantised.weights + quantised.offset;
    }
    if (t.constant != 0) {
        operand.kind = Operand::Kind::constant;
        operand.floats = net.weights + t.offset;
    }
    for (std::uint32_t i = 0; i < net.input_count; ++i) {
        if (net.inputs[i] != tensor || !direct_[i]) continue;
        operand.kind = Operand::Kind::input;
        operand.input = i;
    }
    return operand;
}

CpuNetwork::Step CpuNetwork::plan(std::uint32_t number) const {
    using core::Activation;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const NetworkStep& step = program_.network.steps[number];
    Step planned{};
    planned.step = &step;
    planned.a = operand(step.inputs[0]);
    planned.b = operand(step.inputs[1]);
    planned.residual = operand(has_weights(step) ? step.residual : core::kNoTensor);
    planned.output = operand(step.output);
    planned.low = -kInfinity;
    planned.high = kInfinity;
    if (is_int8()) {
        planned.quantised = &program_.quantised.steps[number];
        planned.activate = planned.quantised->kind == core::QuantisedKind::result;
    } else if (step.activation == Activation::relu) {
        planned.low = 0.0f;
    } else if (step.activation == Activation::clip) {
        planned.low = step.alpha;
        planned.high = step.beta;
    } else {
        planned.activate = has_weights(step) && step.activation != Activation::none;
    }
    planned.round = rounds(step.output);
    const bool part = step.op == NetworkOp::rearrange;
    planned.part_first = part ? step.part_first : 0;
    planned.part_count = part ? core::rearranged_count(program_.network.tensors[step.output], step)
                              : program_.network.tensors[step.output].count;
    return planned;
}

void CpuNetwork::size_workspace() {
    for (const Step& step : steps_)
        if (step.step->op == NetworkOp::conv)
            workspace_bytes_ = std::max(workspace_bytes_, kernels_.conv_workspace(step.step->window));
}

std::size_t CpuNetwork::place(void* base) {
    Arena arena(base);
    for (Step& step : steps_) {
        if (!has_weights(*step.step)) continue;
        const NetworkStep& s = *step.step;
        const bool is_dense = s.op == NetworkOp::dense;
        const std::size_t channels = rounded(channels_of(s), kernels_.panel_width);
        if (is_int8()) {
            step.packed = arena.take<std::int8_t>(is_dense ? kernels_.dense_bytes_int8(s.k, s.n)
                                                           : kernels_.conv_bytes_int8(s.window));
            step.bias = arena.take<std::int32_t>(channels);
            step.multipliers = arena.take<std::int32_t>(channels);
            step.shifts = arena.take<std::int32_t>(channels);
        } else {
            step.packed =
                arena.take<float>(is_dense ? kernels_.dense_floats(s.k, s.n) : kernels_.conv_floats(s.window));
            step.bias = arena.take<float>(channels);
        }
    }
    return arena.size_bytes();
}

void CpuNetwork::pack() {
    const NetworkView& net = program_.network;
    std::vector<float> halves;
    for (const Step& planned : steps_) {
        const NetworkStep& step = *planned.step;
        if (!has_weights(step)) continue;
        if (is_int8()) {
            pack_int8(planned);
            continue;
        }
        const float* weights = net.weights + step.weights;
        if (planned.round) {
            const std::uint16_t* from = program_.half.weights + step.weights;
            halves.resize(weights_of(step));
            std::transform(from, from + halves.size(), halves.begin(),
                           [](std::uint16_t half) { return core::float_of_half(half); });
            weights = halves.data();
        }
        auto* packed = static_cast<float*>(const_cast<void*>(planned.packed));
        auto* bias = static_cast<float*>(const_cast<void*>(planned.bias));
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
    const std::size_t part = part_rows(rows);
    return kLine + rounded(part * static_cast<std::size_t>(program_.network.scratch_count) * sizeof(float), kLine) +
           rounded(workspace_bytes_, kLine) + rounded(part * read_count_[0] * sizeof(float), kLine) +
           rounded(part * read_count_[1] * sizeof(float), kLine);
}

void CpuNetwork::run(const float* const* inputs, float* const* outputs, std::uint32_t rows, void* scratch) const {
    const NetworkView& net = program_.network;
    const auto address = reinterpret_cast<std::uintptr_t>(scratch);
    auto* aligned = static_cast<unsigned char*>(scratch) + (rounded(address, kLine) - address);
    const std::uint32_t part_size = part_rows(rows);
    std::uint32_t wanted = 0;
    for (std::uint32_t o = 0; o < net.output_count; ++o)
        wanted |= outputs[o] != nullptr ? 1u << o : 0u;
    for (std::uint32_t first = 0; first < rows; first += part_size) {
        const float* from[core::kNetworkInputs] = {};
        float* to[core::kNetworkOutputs] = {};
        for (std::uint32_t i = 0; i < net.input_count; ++i)
            from[i] = inputs[i] + static_cast<std::size_t>(first) * net.tensors[net.inputs[i]].count;
        for (std::uint32_t o = 0; o < net.output_count; ++o)
            if (outputs[o] != nullptr)
                to[o] = outputs[o] + static_cast<std::size_t>(first) * net.tensors[net.outputs[o]].count;
        Part part{};
        part.inputs = from;
        part.rows = std::min(part_size, rows - first);
        part.tensors = aligned;
        unsigned char* next =
            aligned + rounded(part.rows * static_cast<std::size_t>(net.scratch_count) * sizeof(float), kLine);
        part.workspace = next;
        next += rounded(workspace_bytes_, kLine);
        part.read[0] = reinterpret_cast<float*>(next);
        next += rounded(part.rows * read_count_[0] * sizeof(float), kLine);
        part.read[1] = reinterpret_cast<float*>(next);
        take_inputs(part);
        for (const Step& step : steps_) {
            if ((step.serves & wanted) == 0) continue;
            if (is_int8())
                run_step_int8(step, part);
            else
                run_step(step, part);
        }
        give_outputs(part, to);
    }
}

void CpuNetwork::take_inputs(const Part& part) const {
    const NetworkView& net = program_.network;
    for (std::uint32_t i = 0; i < net.input_count; ++i) {
        if (direct_[i]) continue;
        const Operand to = operand(net.inputs[i]);
        unsigned char* data = part.tensors + to.offset * part.rows * sizeof(float);
        const std::size_t count = static_cast<std::size_t>(part.rows) * to.count;
        if (rounds(net.inputs[i]))
            kernels_.round_to_half(part.inputs[i], reinterpret_cast<float*>(data), count);
        else if (is_int8() && !to.single)
            kernels_.quantise(part.inputs[i], count, to.inverse_scale, reinterpret_cast<std::int8_t*>(data));
        else
            std::memcpy(data, part.inputs[i], count * sizeof(float));
    }
}

void CpuNetwork::give_outputs(const Part& part, float* const* outputs) const {
    const NetworkView& net = program_.network;
    for (std::uint32_t o = 0; o < net.output_count; ++o) {
        if (outputs[o] == nullptr) continue;
        const Operand from = operand(net.outputs[o]);
        const std::size_t count = from.count;
        if (from.kind == Operand::Kind::constant) {
            for (std::size_t r = 0; r < part.rows; ++r)
                std::memcpy(outputs[o] + r * count, from.floats, count * sizeof(float));
        } else {
            std::memcpy(outputs[o], floats(from, part, 0), part.rows * count * sizeof(float));
        }
    }
}

const float* CpuNetwork::floats(const Operand& operand, const Part& part, std::uint32_t slot) const {
    switch (operand.kind) {
        case Operand::Kind::none:
            return nullptr;
        case Operand::Kind::constant:
            return operand.floats;
        case Operand::Kind::input:
            return part.inputs[operand.input];
        case Operand::Kind::scratch:
            break;
    }
    const unsigned char* data = part.tensors + operand.offset * part.rows * sizeof(float);
    if (!is_int8() || operand.single) return reinterpret_cast<const float*>(data);
    kernels_.dequantise(reinterpret_cast<const std::int8_t*>(data), static_cast<std::size_t>(part.rows) * operand.count,
                        operand.scale, part.read[slot]);
    return part.read[slot];
}

void CpuNetwork::run_step(const Step& planned, const Part& part) const {
    const NetworkStep& step = *planned.step;
    const auto stride = [](const Operand& operand) {
        return operand.kind == Operand::Kind::constant ? std::size_t{0} : operand.count;
    };
    const std::uint32_t rows = part.rows;
    auto* out = reinterpret_cast<float*>(part.tensors + planned.output.offset * rows * sizeof(float));
    const std::size_t out_stride = planned.output.count;
    const float* a = floats(planned.a, part, 0);
    const auto* packed = static_cast<const float*>(planned.packed);
    const auto* bias = static_cast<const float*>(planned.bias);
    const FloatEnd end = {floats(planned.residual, part, 1), planned.low, planned.high};
    if (step.op == NetworkOp::dense) {
        kernels_.dense({a, out, rows * step.m, step.k, step.n, packed, bias, end});
    } else if (step.op == NetworkOp::conv) {
        auto* workspace = static_cast<float*>(part.workspace);
        kernels_.conv({&step.window, a, out, rows, packed, bias, workspace, end});
    } else {
        kernels_.step({&program_.network, &step, a, floats(planned.b, part, 1), stride(planned.a), stride(planned.b),
                       out, out_stride, rows});
    }
    if (planned.activate) kernels_.activate(step.activation, step.alpha, step.beta, out, rows * out_stride);
    if (!planned.round) return;
    if (planned.part_count == out_stride) return kernels_.round_to_half(out, out, rows * out_stride);
    for (std::uint32_t r = 0; r < rows; ++r) {
        float* written = out + r * out_stride + planned.part_first;
        kernels_.round_to_half(written, written, planned.part_count);
    }
}

}  // namespace augur
