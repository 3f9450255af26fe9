// The int8 half of CpuNetwork.
#include <algorithm>

#include "backend/cpu/network.h"

namespace augur {

using core::NetworkOp;
using core::NetworkStep;
using core::QuantisedKind;

void CpuNetwork::pack_int8(const Step& planned) {
    const NetworkStep& step = *planned.step;
    const core::QuantisedView& view = program_.quantised;
    const core::QuantisedStep& quantised = *planned.quantised;
    const std::int8_t* weights = view.weights + quantised.weights;
    const std::int32_t* bias = view.biases + quantised.bias;
    auto* packed = const_cast<void*>(planned.packed);
    auto* packed_bias = static_cast<std::int32_t*>(const_cast<void*>(planned.bias));
    auto* multipliers = const_cast<std::int32_t*>(planned.multipliers);
    auto* shifts = const_cast<std::int32_t*>(planned.shifts);
    const bool is_dense = step.op == NetworkOp::dense;
    const std::uint32_t channels = is_dense ? step.n : step.window.out_channels;
    const std::uint32_t width = kernels_.panel_width;
    const std::uint32_t room = (channels + width - 1) / width * width;
    if (is_dense)
        kernels_.pack_dense_int8(weights, bias, step.k, step.n, packed, packed_bias);
    else
        kernels_.pack_conv_int8(weights, bias, step.window, packed, packed_bias);
    for (std::uint32_t c = 0; c < room; ++c) {
        const bool has_factor = c < channels && quantised.kind == QuantisedKind::integer;
        const core::Rescale factor = has_factor ? view.rescales[quantised.rescales + c] : core::Rescale{0, 1};
        multipliers[c] = factor.multiplier;
        shifts[c] = factor.shift;
    }
}

void CpuNetwork::size_workspace_int8() {
    const auto need = [&](std::size_t bytes) { workspace_bytes_ = std::max(workspace_bytes_, bytes); };
    const auto read = [&](const Operand& operand, std::uint32_t slot, bool as_floats) {
        if (operand.kind != Operand::Kind::none && operand.kind != Operand::Kind::constant &&
            operand.single != as_floats)
            read_count_[slot] = std::max<std::size_t>(read_count_[slot], operand.count);
    };
    for (const Step& planned : steps_) {
        const NetworkStep& step = *planned.step;
        const QuantisedKind kind = planned.quantised->kind;
        read(planned.a, 0, kind == QuantisedKind::single);
        read(planned.b, 1, kind == QuantisedKind::single);
        read(planned.residual, 1, kind != QuantisedKind::integer);
        if (step.op == NetworkOp::dense) need(kernels_.dense_workspace_int8(step.k));
        if (step.op == NetworkOp::conv) need(kernels_.conv_workspace_int8(step.window));
        if (step.op == NetworkOp::max_pool || step.op == NetworkOp::average_pool)
            need(step.window.out_width * sizeof(std::int32_t));
    }
}

const std::int8_t* CpuNetwork::integers(const Operand& operand, const Part& part, std::uint32_t slot) const {
    if (operand.kind == Operand::Kind::none) return nullptr;
    if (operand.kind == Operand::Kind::constant) return operand.integers;
    const unsigned char* data = part.tensors + operand.offset * part.rows * sizeof(float);
    if (!operand.single) return reinterpret_cast<const std::int8_t*>(data);
    auto* out = reinterpret_cast<std::int8_t*>(part.read[slot]);
    kernels_.quantise(floats(operand, part, slot), static_cast<std::size_t>(part.rows) * operand.count,
                      operand.inverse_scale, out);
    return out;
}

void CpuNetwork::run_step_int8(const Step& planned, const Part& part) const {
    const NetworkStep& step = *planned.step;
    const core::QuantisedView& view = program_.quantised;
    const core::QuantisedStep& quantised = *planned.quantised;
    if (quantised.kind == QuantisedKind::single) return run_step(planned, part);
    const std::uint32_t rows = part.rows;
    void* out = part.tensors + planned.output.offset * rows * sizeof(float);
    const std::int8_t* a = integers(planned.a, part, 0);
    if (step.op != NetworkOp::dense && step.op != NetworkOp::conv) {
        const auto stride = [](const Operand& operand) {
            return operand.kind == Operand::Kind::constant ? std::size_t{0} : operand.count;
        };
        kernels_.step_int8({&program_.network, &view, &step, &quantised, a, integers(planned.b, part, 1),
                            stride(planned.a), stride(planned.b), static_cast<std::int8_t*>(out), rows,
                            static_cast<std::int32_t*>(part.workspace)});
        return;
    }
    const bool is_result = quantised.kind == QuantisedKind::result;
    IntegerEnd end{};
    end.out = out;
    end.residual = is_result ? static_cast<const void*>(floats(planned.residual, part, 1))
                             : static_cast<const void*>(integers(planned.residual, part, 1));
    end.multipliers = planned.multipliers;
    end.shifts = planned.shifts;
    end.residual_factor = quantised.b;
    end.low = quantised.low;
    end.high = quantised.high;
    end.table = quantised.table == core::kNoWeights ? nullptr : view.tables + quantised.table;
    end.scales = is_result ? view.scales + quantised.scales : nullptr;
    const auto* bias = static_cast<const std::int32_t*>(planned.bias);
    if (step.op == NetworkOp::dense)
        kernels_.dense_int8({a, rows * step.m, step.k, step.n, planned.packed, bias, part.workspace, end});
    else
        kernels_.conv_int8({&step.window, a, rows, planned.packed, bias, part.workspace, end});
    if (planned.activate)
        kernels_.activate(step.activation, step.alpha, step.beta, static_cast<float*>(out),
                          static_cast<std::size_t>(rows) * planned.output.count);
}

}  // namespace augur
