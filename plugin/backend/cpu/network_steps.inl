// Steps without weights in panels, over floats. Exact: every output is computed by the functions of
// core/network_math.h in an order that this file fixes (taps by kernel row and column; k ascending), so all levels
// agree, and so does any other machine that follows the same order.

// x <- f(x), the activation chosen outside of the loop so that the compiler makes vector code of each.
template <core::Activation F>
void activate_as(float alpha, float beta, float* x, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        x[i] = core::activate(F, alpha, beta, x[i]);
}

void activate(core::Activation activation, float alpha, float beta, float* x, std::size_t count) {
    using core::Activation;
    switch (activation) {
        case Activation::none:
            return;
        case Activation::relu:
            return activate_as<Activation::relu>(alpha, beta, x, count);
        case Activation::leaky_relu:
            return activate_as<Activation::leaky_relu>(alpha, beta, x, count);
        case Activation::elu:
            return activate_as<Activation::elu>(alpha, beta, x, count);
        case Activation::sigmoid:
            return activate_as<Activation::sigmoid>(alpha, beta, x, count);
        case Activation::tanh:
            return activate_as<Activation::tanh>(alpha, beta, x, count);
        case Activation::gelu:
            return activate_as<Activation::gelu>(alpha, beta, x, count);
        case Activation::gelu_tanh:
            return activate_as<Activation::gelu_tanh>(alpha, beta, x, count);
        case Activation::clip:
            return activate_as<Activation::clip>(alpha, beta, x, count);
        case Activation::erf:
            return activate_as<Activation::erf>(alpha, beta, x, count);
        case Activation::exp:
            return activate_as<Activation::exp>(alpha, beta, x, count);
        case Activation::square_root:
            return activate_as<Activation::square_root>(alpha, beta, x, count);
        case Activation::absolute:
            return activate_as<Activation::absolute>(alpha, beta, x, count);
        case Activation::negate:
            return activate_as<Activation::negate>(alpha, beta, x, count);
        case Activation::softplus:
            return activate_as<Activation::softplus>(alpha, beta, x, count);
        case Activation::hard_sigmoid:
            return activate_as<Activation::hard_sigmoid>(alpha, beta, x, count);
        case Activation::hard_swish:
            return activate_as<Activation::hard_swish>(alpha, beta, x, count);
    }
}

void round_to_half(const float* in, float* out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        out[i] = core::round_to_half(in[i]);
}

template <core::BinaryOp Op>
void combine_line(const float* a, std::size_t stride_a, const float* b, std::size_t stride_b, float* out,
                  std::uint32_t count) {
    if (stride_a == 1 && stride_b == 1) {
        for (std::uint32_t i = 0; i < count; ++i)
            out[i] = core::combine(Op, a[i], b[i]);
    } else if (stride_a == 1 && stride_b == 0) {
        const float y = *b;
        for (std::uint32_t i = 0; i < count; ++i)
            out[i] = core::combine(Op, a[i], y);
    } else {
        for (std::uint32_t i = 0; i < count; ++i)
            out[i] = core::combine(Op, a[i * stride_a], b[i * stride_b]);
    }
}

// Whether both operands have the output's elements in the output's order.
bool same_order(const core::NetworkTensor& output, const core::NetworkStep& step) {
    std::uint32_t expected = 1;
    for (std::uint32_t d = output.rank; d-- > 0;) {
        if (output.dims[d] != 1 && (step.stride_a[d] != expected || step.stride_b[d] != expected)) return false;
        expected *= output.dims[d];
    }
    return true;
}

template <core::BinaryOp Op>
void combine_row(const core::NetworkTensor& output, const core::NetworkStep& step, const float* a, const float* b,
                 float* out) {
    if (same_order(output, step)) return combine_line<Op>(a, 1, b, 1, out, output.count);
    // Line by line along the last dimension that has more than one place.
    std::uint32_t last = output.rank;
    while (last > 0 && output.dims[last - 1] == 1)
        --last;
    if (last == 0) return combine_line<Op>(a, 1, b, 1, out, 1);
    --last;
    const std::uint32_t count = output.dims[last];
    for (std::uint32_t first = 0; first < output.count; first += count) {
        const core::BinaryPlace at = core::binary_place(output, step, first);
        combine_line<Op>(a + at.a, step.stride_a[last], b + at.b, step.stride_b[last], out + first, count);
    }
}

template <core::BinaryOp Op>
void combine_rows(const StepCall& call) {
    const core::NetworkTensor& output = call.net->tensors[call.step->output];
    for (std::size_t r = 0; r < call.rows; ++r)
        combine_row<Op>(output, *call.step, call.a + r * call.a_stride, call.b + r * call.b_stride,
                        call.out + r * call.out_stride);
}

void binary(const StepCall& call) {
    using core::BinaryOp;
    switch (call.step->binary) {
        case BinaryOp::add:
            return combine_rows<BinaryOp::add>(call);
        case BinaryOp::subtract:
            return combine_rows<BinaryOp::subtract>(call);
        case BinaryOp::multiply:
            return combine_rows<BinaryOp::multiply>(call);
        case BinaryOp::divide:
            return combine_rows<BinaryOp::divide>(call);
        case BinaryOp::minimum:
            return combine_rows<BinaryOp::minimum>(call);
        case BinaryOp::maximum:
            return combine_rows<BinaryOp::maximum>(call);
        case BinaryOp::power:
            return combine_rows<BinaryOp::power>(call);
    }
}

void matmul_row(const core::NetworkStep& step, const float* a, const float* b, float* out) {
    const std::size_t m = step.m;
    const std::size_t k = step.k;
    const std::size_t n = step.n;
    for (std::size_t g = 0; g < step.groups; ++g) {
        for (std::size_t i = 0; i < m; ++i) {
            const float* left = a + (g * step.group_a * m + i) * k;
            const float* right = b + g * step.group_b * k * n;
            float* to = out + (g * m + i) * n;
            for (std::size_t j = 0; j < n; ++j)
                to[j] = 0.0f;
            for (std::size_t l = 0; l < k; ++l)
                for (std::size_t j = 0; j < n; ++j)
                    to[j] = to[j] + left[l] * right[l * n + j];
        }
    }
}

void pool_row(const core::NetworkStep& step, const float* in, float* out) {
    const core::NetworkWindow& w = step.window;
    const bool is_max = step.op == core::NetworkOp::max_pool;
    const auto width_step = static_cast<std::int32_t>(w.stride_w);
    for (std::uint32_t c = 0; c < w.channels; ++c) {
        const float* plane = in + static_cast<std::size_t>(c) * w.height * w.width;
        for (std::uint32_t y = 0; y < w.out_height; ++y) {
            float* line = out + (static_cast<std::size_t>(c) * w.out_height + y) * w.out_width;
            for (std::uint32_t x = 0; x < w.out_width; ++x)
                line[x] = is_max ? -std::numeric_limits<float>::infinity() : 0.0f;
            for (std::uint32_t ky = 0; ky < w.kernel_h; ++ky) {
                const auto from = static_cast<std::int32_t>(y * w.stride_h + ky * w.dilation_h) - w.pad_top;
                if (from < 0 || from >= static_cast<std::int32_t>(w.height)) continue;
                const float* source = plane + static_cast<std::size_t>(from) * w.width;
                for (std::uint32_t kx = 0; kx < w.kernel_w; ++kx) {
                    const Reach reached = reach(w, {0, w.out_width, 0, 0, 0}, kx);
                    const auto low = static_cast<std::int32_t>(reached.low);
                    const auto high = static_cast<std::int32_t>(reached.high);
                    if (is_max && width_step == 1) {
                        for (std::int32_t x = low; x < high; ++x)
                            line[x] = core::pool_maximum(line[x], source[reached.start + x]);
                    } else if (is_max && width_step == 2) {
                        for (std::int32_t x = low; x < high; ++x)
                            line[x] = core::pool_maximum(line[x], source[reached.start + x * 2]);
                    } else if (is_max) {
                        for (std::int32_t x = low; x < high; ++x)
                            line[x] = core::pool_maximum(line[x], source[reached.start + x * width_step]);
                    } else {
                        for (std::int32_t x = low; x < high; ++x)
                            line[x] = line[x] + source[reached.start + x * width_step];
                    }
                }
            }
            if (is_max) continue;
            for (std::uint32_t x = 0; x < w.out_width; ++x)
                line[x] = line[x] / static_cast<float>(core::pool_divisor(w, y, x));
        }
    }
}

void reduce_mean_row(const core::NetworkAxis& axis, const float* in, float* out) {
    for (std::size_t outer = 0; outer < axis.outer; ++outer) {
        const float* from = in + outer * axis.n * axis.inner;
        float* to = out + outer * axis.inner;
        for (std::size_t i = 0; i < axis.inner; ++i)
            to[i] = 0.0f;
        for (std::size_t n = 0; n < axis.n; ++n)
            for (std::size_t i = 0; i < axis.inner; ++i)
                to[i] = to[i] + from[n * axis.inner + i];
        for (std::size_t i = 0; i < axis.inner; ++i)
            to[i] = to[i] / static_cast<float>(axis.n);
    }
}

void step_row(const StepCall& call, const float* a, float* out) {
    const core::NetworkStep& step = *call.step;
    const core::NetworkTensor& output = call.net->tensors[step.output];
    const float* weights = call.net->weights;
    switch (step.op) {
        case core::NetworkOp::max_pool:
        case core::NetworkOp::average_pool:
            return pool_row(step, a, out);
        case core::NetworkOp::softmax:
        case core::NetworkOp::log_softmax:
            for (std::uint32_t outer = 0; outer < step.axis.outer; ++outer) {
                for (std::uint32_t inner = 0; inner < step.axis.inner; ++inner) {
                    const std::size_t first = static_cast<std::size_t>(outer) * step.axis.n * step.axis.inner + inner;
                    core::softmax_line(a + first, out + first, step.axis.n, step.axis.inner,
                                       step.op == core::NetworkOp::log_softmax);
                }
            }
            return;
        case core::NetworkOp::layer_norm:
            for (std::size_t first = 0; first < output.count; first += step.axis.n)
                core::layer_norm_line(a + first, out + first, step.axis.n, step.epsilon,
                                      step.weights == core::kNoWeights ? nullptr : weights + step.weights,
                                      step.bias == core::kNoWeights ? nullptr : weights + step.bias);
            return;
        case core::NetworkOp::reduce_mean:
            return reduce_mean_row(step.axis, a, out);
        case core::NetworkOp::rearrange: {
            const std::uint32_t count = core::rearranged_count(output, step);
            const std::int32_t* map = call.net->maps + step.map;
            for (std::uint32_t i = 0; i < count; ++i)
                out[step.part_first + i] = map[i] < 0 ? step.fill : a[map[i]];
            return;
        }
        default:  // unary
            if (a != out) std::memcpy(out, a, output.count * sizeof(float));
            return;
    }
}

void step(const StepCall& call) {
    const core::NetworkStep& step = *call.step;
    if (step.op == core::NetworkOp::binary) {
        binary(call);
    } else {
        for (std::size_t r = 0; r < call.rows; ++r) {
            const float* a = call.a + r * call.a_stride;
            float* out = call.out + r * call.out_stride;
            if (step.op == core::NetworkOp::matmul)
                matmul_row(step, a, call.b + r * call.b_stride, out);
            else
                step_row(call, a, out);
        }
    }
    if (step.activation == core::Activation::none) return;
    const bool part = step.op == core::NetworkOp::rearrange;
    const std::size_t count = part ? core::rearranged_count(call.net->tensors[step.output], step) : call.out_stride;
    for (std::size_t r = 0; r < call.rows; ++r)
        activate(step.activation, step.alpha, step.beta, call.out + r * call.out_stride + (part ? step.part_first : 0),
                 count);
}
