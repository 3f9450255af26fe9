// Integer steps without weights, element by element as core/network_int8.h defines them.

void quantise_all(const float* in, std::size_t count, float inverse_scale, std::int8_t* out) {
    for (std::size_t i = 0; i < count; ++i)
        out[i] = core::quantise(in[i], inverse_scale);
}

void dequantise_all(const std::int8_t* in, std::size_t count, float scale, float* out) {
    for (std::size_t i = 0; i < count; ++i)
        out[i] = core::dequantise(in[i], scale);
}

// Limits, then the table.
struct IntegerLimits {
    std::int32_t low, high;
    const std::int8_t* table;  // or null
    IntegerLimits(const core::QuantisedView& view, const core::QuantisedStep& step)
        : low(step.low), high(step.high), table(step.table == core::kNoWeights ? nullptr : view.tables + step.table) {}
    std::int8_t operator()(std::int32_t y) const {
        const std::int8_t q = core::clamp_int8(y, low, high);
        return table == nullptr ? q : table[q + 128];
    }
};

void pool_row_int8(const StepCall8& call, const IntegerLimits& limits, const std::int8_t* in, std::int8_t* out) {
    const core::NetworkStep& step = *call.step;
    const core::NetworkWindow& w = step.window;
    const bool is_max = step.op == core::NetworkOp::max_pool;
    const core::Rescale* factors = call.view->rescales + call.quantised->rescales;
    const auto width_step = static_cast<std::int32_t>(w.stride_w);
    std::int32_t* line = call.workspace;  // [out_width]
    for (std::uint32_t c = 0; c < w.channels; ++c) {
        const std::int8_t* plane = in + static_cast<std::size_t>(c) * w.height * w.width;
        for (std::uint32_t y = 0; y < w.out_height; ++y) {
            for (std::uint32_t x = 0; x < w.out_width; ++x)
                line[x] = is_max ? -128 : 0;
            for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky) {
                const auto from = static_cast<std::int32_t>(y * w.stride_h + ky * w.dilation_h) - w.pad_top;
                if (from < 0 || from >= static_cast<std::int32_t>(w.height)) continue;
                const std::int8_t* source = plane + static_cast<std::size_t>(from) * w.width;
                for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
                    const Reach reached = reach(w, {0, w.out_width, 0, 0, 0}, kx);
                    const auto high = static_cast<std::int32_t>(reached.high);
                    if (is_max) {
                        for (auto x = static_cast<std::int32_t>(reached.low); x < high; ++x) {
                            const std::int32_t q = source[reached.start + x * width_step];
                            line[x] = q > line[x] ? q : line[x];
                        }
                    } else {
                        for (auto x = static_cast<std::int32_t>(reached.low); x < high; ++x)
                            line[x] += source[reached.start + x * width_step];
                    }
                }
            }
            std::int8_t* to = out + (static_cast<std::size_t>(c) * w.out_height + y) * w.out_width;
            for (std::uint32_t x = 0; x < w.out_width; ++x)
                to[x] = limits(is_max ? line[x] : core::rescale(line[x], factors[core::pool_divisor(w, y, x) - 1]));
        }
    }
}

void mean_row_int8(const StepCall8& call, const IntegerLimits& limits, const std::int8_t* in, std::int8_t* out) {
    const core::NetworkAxis& axis = call.step->axis;
    const core::Rescale factor = call.view->rescales[call.quantised->rescales];
    for (std::size_t outer = 0; outer < axis.outer; ++outer) {
        for (std::size_t inner = 0; inner < axis.inner; ++inner) {
            const std::int8_t* from = in + outer * axis.n * axis.inner + inner;
            std::int32_t sum = 0;
            if (axis.inner == 1) {
                for (std::size_t n = 0; n < axis.n; ++n)
                    sum += from[n];
            } else {
                for (std::size_t n = 0; n < axis.n; ++n)
                    sum += from[n * axis.inner];
            }
            out[outer * axis.inner + inner] = limits(core::rescale(sum, factor));
        }
    }
}

template <core::BinaryOp Op>
void combine_row_int8(const StepCall8& call, const IntegerLimits& limits, const std::int8_t* a, const std::int8_t* b,
                      std::int8_t* out) {
    const core::NetworkStep& step = *call.step;
    const core::NetworkTensor& output = call.net->tensors[step.output];
    const core::QuantisedStep& quantised = *call.quantised;
    if (same_order(output, step)) {
        for (std::uint32_t i = 0; i < output.count; ++i)
            out[i] = limits(core::quantised_combine(Op, quantised, a[i], b[i]));
        return;
    }
    for (std::uint32_t i = 0; i < output.count; ++i) {
        const core::BinaryPlace at = core::binary_place(output, step, i);
        out[i] = limits(core::quantised_combine(Op, quantised, a[at.a], b[at.b]));
    }
}

void binary_row_int8(const StepCall8& call, const IntegerLimits& limits, const std::int8_t* a, const std::int8_t* b,
                     std::int8_t* out) {
    using core::BinaryOp;
    switch (call.step->binary) {
        case BinaryOp::subtract:
            return combine_row_int8<BinaryOp::subtract>(call, limits, a, b, out);
        case BinaryOp::multiply:
        case BinaryOp::divide:
            return combine_row_int8<BinaryOp::multiply>(call, limits, a, b, out);
        case BinaryOp::minimum:
            return combine_row_int8<BinaryOp::minimum>(call, limits, a, b, out);
        case BinaryOp::maximum:
            return combine_row_int8<BinaryOp::maximum>(call, limits, a, b, out);
        default:
            return combine_row_int8<BinaryOp::add>(call, limits, a, b, out);
    }
}

void step_int8(const StepCall8& call) {
    const core::NetworkStep& step = *call.step;
    const core::NetworkTensor& output = call.net->tensors[step.output];
    const IntegerLimits limits(*call.view, *call.quantised);
    for (std::size_t r = 0; r < call.rows; ++r) {
        const std::int8_t* a = call.a + r * call.a_stride;
        std::int8_t* out = call.out + r * output.count;
        switch (step.op) {
            case core::NetworkOp::max_pool:
            case core::NetworkOp::average_pool:
                pool_row_int8(call, limits, a, out);
                break;
            case core::NetworkOp::reduce_mean:
                mean_row_int8(call, limits, a, out);
                break;
            case core::NetworkOp::binary:
                binary_row_int8(call, limits, a, call.b + r * call.b_stride, out);
                break;
            case core::NetworkOp::rearrange: {
                const std::uint32_t count = core::rearranged_count(output, step);
                const std::int32_t* map = call.net->maps + step.map;
                const auto fill = static_cast<std::int8_t>(call.quantised->fill);
                for (std::uint32_t i = 0; i < count; ++i)
                    out[step.part_first + i] = map[i] < 0 ? fill : limits(a[map[i]]);
                break;
            }
            default:  // unary
                for (std::uint32_t i = 0; i < output.count; ++i)
                    out[i] = limits(a[i]);
                break;
        }
    }
}
