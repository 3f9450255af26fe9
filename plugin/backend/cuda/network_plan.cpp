#include "backend/cuda/network_plan.h"

#include <algorithm>

#include "backend/cuda/network_pack.h"
#include "core/half.h"
#include "core/network_math.h"

namespace augur::cuda {
namespace {

using core::kNoTensor;
using core::NetworkOp;
using core::NetworkStep;
using core::NetworkView;
using core::Precision;
using core::QuantisedKind;
using Home = PlannedTensor::Home;
using Kind = PlannedWork::Kind;

constexpr std::uint32_t kVector = 16;  // bytes that matrix kernels read at once

bool has_weights(const NetworkStep& step) {
    return step.op == NetworkOp::dense || step.op == NetworkOp::conv;
}

std::uint32_t rounded(std::uint32_t x, std::uint32_t unit) {
    return (x + unit - 1) / unit * unit;
}

class Planner {
  public:
    explicit Planner(const core::NetworkProgram& program)
        : program_(program),
          net_(program.network),
          done_(net_.step_count, false),
          writers_(net_.tensor_count, 0),
          readers_(net_.tensor_count) {
        for (std::uint32_t s = 0; s < net_.step_count; ++s) {
            const NetworkStep& step = net_.steps[s];
            ++writers_[step.output];
            for (const std::uint32_t t : {step.inputs[0], step.inputs[1], residual_of(step)})
                if (t != kNoTensor) readers_[t].push_back(s);
        }
    }

    NetworkPlan run() {
        pack_shared();
        for (std::uint32_t t = 0; t < net_.tensor_count; ++t)
            plan_.tensors.push_back(plan_tensor(t));
        for (std::uint32_t o = 0; o < net_.output_count; ++o)
            give_directly(o);
        take_written_inputs();
        for (std::uint32_t s = 0; s < net_.step_count; ++s)
            if (!done_[s]) plan_step(s);
        for (std::uint32_t o = 0; o < net_.output_count; ++o)
            give(o);
        find_lives();
        return std::move(plan_);
    }

  private:
    bool is_int8() const { return program_.precision == Precision::int8; }
    bool is_fp16() const { return program_.precision == Precision::fp16; }
    static std::uint32_t residual_of(const NetworkStep& step) { return has_weights(step) ? step.residual : kNoTensor; }
    PlannedTensor& tensor(std::uint32_t t) { return plan_.tensors[t]; }
    const NetworkStep& step(std::uint32_t s) const { return net_.steps[s]; }
    bool is_single(std::uint32_t t) const {
        if (is_int8()) return program_.quantised.tensors[t].single != 0;
        return !is_fp16() || program_.half.single_tensors[t] != 0;
    }
    // The form that matrix units read; fp32 has none.
    Form matrix_form() const { return is_int8() ? Form::integer : Form::half; }

    void pack_shared() {
        if (!is_int8()) return;
        std::uint64_t biases = 0, rescales = 0, scales = 0, tables = 0;
        for (std::uint32_t s = 0; s < net_.step_count; ++s) {
            const core::QuantisedStep& q = program_.quantised.steps[s];
            const NetworkStep& of = step(s);
            const std::uint64_t channels = of.op == NetworkOp::dense ? of.n : of.window.out_channels;
            if (q.kind == QuantisedKind::single) continue;
            if (has_weights(of)) biases = std::max(biases, q.bias + channels);
            if (q.kind == QuantisedKind::result) {
                scales = std::max(scales, q.scales + channels);
                continue;
            }
            if (has_weights(of)) rescales = std::max(rescales, q.rescales + channels);
            if (of.op == NetworkOp::average_pool)
                rescales = std::max(rescales, q.rescales + std::uint64_t{of.window.kernel_h} * of.window.kernel_w);
            if (of.op == NetworkOp::reduce_mean) rescales = std::max(rescales, q.rescales + 1);
            if (q.table != core::kNoWeights) tables = std::max(tables, q.table + 256);
        }
        const core::QuantisedView& view = program_.quantised;
        plan_.biases = append(plan_.block, view.biases, biases);
        plan_.rescales = append(plan_.block, view.rescales, rescales);
        plan_.scales = append(plan_.block, view.scales, scales);
        plan_.tables = append(plan_.block, view.tables, tables);
    }

    PlannedTensor plan_tensor(std::uint32_t t) {
        const core::NetworkTensor& of = net_.tensors[t];
        PlannedTensor planned;
        planned.count = planned.row_elements = of.count;
        if (is_int8()) {
            planned.scale = program_.quantised.tensors[t].scale;
            planned.inverse_scale = program_.quantised.tensors[t].inverse_scale;
        }
        if (of.constant != 0) {
            planned.home = Home::constant;
            planned.row_elements = 0;
            planned.floats = append(plan_.block, net_.weights + of.offset, of.count);
            if (is_int8() && !is_single(t))
                planned.integers =
                    append(plan_.block, program_.quantised.weights + program_.quantised.tensors[t].offset, of.count);
            return planned;
        }
        for (std::uint32_t i = 0; i < net_.input_count; ++i) {
            if (net_.inputs[i] != t || writers_[t] != 0) continue;
            planned.home = Home::input;
            planned.port = i;
            if (!is_single(t)) planned.reading = is_int8() ? Reading::quantised : Reading::rounded;
            return planned;
        }
        planned.home = Home::scratch;
        if (!is_single(t)) planned.form = matrix_form();
        return planned;
    }

    // Output o is written where the caller wants it, if nobody else reads it.
    void give_directly(std::uint32_t o) {
        const std::uint32_t t = net_.outputs[o];
        const auto times = std::count(net_.outputs, net_.outputs + net_.output_count, t);
        PlannedTensor& planned = tensor(t);
        if (planned.home != Home::scratch || planned.form != Form::single || times != 1 || !readers_[t].empty() ||
            is_network_input(t))
            return;
        planned.home = Home::output;
        planned.port = o;
    }

    void give(std::uint32_t o) {
        const std::uint32_t t = net_.outputs[o];
        if (tensor(t).home == Home::output) return;
        PlannedTensor to;
        to.home = Home::output;
        to.port = o;
        to.count = to.row_elements = tensor(t).count;
        PlannedWork work;
        work.kind = Kind::give;
        work.a = t;
        work.output = static_cast<std::uint32_t>(plan_.tensors.size());
        plan_.tensors.push_back(to);
        plan_.works.push_back(work);
    }

    bool is_network_input(std::uint32_t t) const {
        return std::find(net_.inputs, net_.inputs + net_.input_count, t) != net_.inputs + net_.input_count;
    }

    // Whether a tensor keeps what it is given once.
    bool is_lasting(std::uint32_t t) const { return writers_[t] <= (is_network_input(t) ? 0u : 1u); }

    void plan_step(std::uint32_t s) {
        if (has_weights(step(s))) {
            if (can_chain(s)) return plan_chain(s);
            return plan_linear(s);
        }
        PlannedWork work = work_of(s, Kind::element);
        if (step(s).op == NetworkOp::layer_norm) {
            if (step(s).weights != core::kNoWeights)
                work.weights = append(plan_.block, net_.weights + step(s).weights, step(s).axis.n);
            if (step(s).bias != core::kNoWeights)
                work.bias = append(plan_.block, net_.weights + step(s).bias, step(s).axis.n);
        }
        if (step(s).op == NetworkOp::rearrange)
            work.map = append(plan_.block, net_.maps + step(s).map,
                              core::rearranged_count(net_.tensors[step(s).output], step(s)));
        keep_order(s);
        plan_.works.push_back(std::move(work));
    }

    PlannedWork work_of(std::uint32_t s, Kind kind) const {
        PlannedWork work;
        work.kind = kind;
        work.step = s;
        work.a = step(s).inputs[0];
        work.b = step(s).inputs[1];
        work.residual = residual_of(step(s));
        work.output = step(s).output;
        return work;
    }

    // An input that steps write over lives in the scratch: it is brought there before the first step.
    void take_written_inputs() {
        for (std::uint32_t i = 0; i < net_.input_count; ++i) {
            const std::uint32_t t = net_.inputs[i];
            if (tensor(t).home == Home::input) continue;
            PlannedTensor from = tensor(t);
            from.home = Home::input;
            from.port = i;
            from.form = Form::single;
            if (!is_single(t)) from.reading = is_int8() ? Reading::quantised : Reading::rounded;
            PlannedWork work;
            work.kind = Kind::convert;
            work.a = static_cast<std::uint32_t>(plan_.tensors.size());
            work.output = t;
            plan_.tensors.push_back(from);
            plan_.works.push_back(work);
        }
    }

    // Steps that work element by element leave the order of the elements as it is.
    void keep_order(std::uint32_t s) {
        const NetworkStep& of = step(s);
        const bool pool = of.op == NetworkOp::max_pool || of.op == NetworkOp::average_pool;
        if (!pool && of.op != NetworkOp::unary && of.op != NetworkOp::binary) return;
        for (const std::uint32_t t : of.inputs) {
            if (t == kNoTensor || tensor(t).stored_channels == 0) continue;
            const std::uint32_t channels = tensor(t).count / tensor(t).plane;
            if (pool && (channels != of.window.channels || tensor(t).plane != of.window.height * of.window.width))
                continue;
            if (!pool && tensor(t).count != tensor(of.output).count) continue;
            const std::uint32_t plane = pool ? of.window.out_height * of.window.out_width : tensor(t).plane;
            return set_channels_last(of.output, plane);
        }
    }

    // Only for tensors that nobody has written yet.
    void set_channels_last(std::uint32_t t, std::uint32_t plane) {
        PlannedTensor& planned = tensor(t);
        if (planned.home != Home::scratch || planned.form == Form::single || writers_[t] != 1 || is_network_input(t))
            return;
        const std::uint32_t channels = planned.count / plane;
        const std::uint32_t stored = rounded(channels, kVector / form_bytes(planned.form));
        if (plane == 1 && stored == channels) return;
        if (std::uint64_t{stored} * plane > 0x7fffffffu) return;
        planned.plane = plane;
        planned.stored_channels = stored;
        planned.row_elements = stored * plane;
    }

    // Dense and conv steps beyond chains.
    void plan_linear(std::uint32_t s) {
        const NetworkStep& of = step(s);
        const bool is_conv = of.op == NetworkOp::conv;
        const bool grouped = is_conv && of.window.groups != 1;
        if (is_conv) set_channels_last(of.output, of.window.out_height * of.window.out_width);
        if (program_.precision != Precision::fp32 && !grouped && fits_matrix(s)) return plan_matrix(s);
        PlannedWork work = work_of(s, grouped || is_int8() ? Kind::direct : Kind::plain);
        if (work.kind == Kind::plain)
            work.weights = pack_plain(program_, s, tensor(of.output).form == Form::half, plan_.block);
        else
            work.weights = pack_direct(program_, s, tensor(of.output).form == Form::half, plan_.block);
        work.bias = pack_bias(s, 1);
        plan_.works.push_back(std::move(work));
    }

    // fp16: what is read is halves, and weights that are floats can be written as sums of two halves.
    bool fits_matrix(std::uint32_t s) {
        if (is_int8()) return true;
        const PlannedTensor& in = tensor(step(s).inputs[0]);
        const bool halves = in.form == Form::half || in.reading == Reading::rounded;
        return halves && (!is_single(step(s).output) || splits_into_halves(program_, s));
    }

    void plan_matrix(std::uint32_t s) {
        const NetworkStep& of = step(s);
        PlannedWork work = work_of(s, Kind::matrix);
        const Form form = matrix_form();
        const std::uint32_t unit = kVector / form_bytes(form);
        const bool is_conv = of.op == NetworkOp::conv;
        const std::uint32_t channels = is_conv ? of.window.channels : of.k;
        const std::uint32_t plane = is_conv ? of.window.height * of.window.width : of.m;
        const PlannedTensor& in = tensor(work.a);
        MatrixOrder order{channels, channels, 1, false};
        if (in.home == Home::scratch && in.form == form && in.stored_channels != 0 && in.plane == plane && is_conv &&
            in.count == channels * plane) {
            order.stored = in.stored_channels;
        } else if (in.home == Home::scratch && in.form == form && in.stored_channels != 0 && !is_conv && of.m == 1) {
            order = {in.count / in.plane, in.stored_channels, in.plane, false};
        } else if (in.home == Home::scratch && in.form == form && in.stored_channels == 0 && channels % unit == 0 &&
                   (!is_conv || plane == 1)) {
            // In the order of ONNX, which is the same here.
        } else if (is_conv && channels < unit && of.window.kernel_w > 1) {
            order.folded = work.folded = true;
            order.stored = rounded(channels * of.window.kernel_w, unit);
            work.a = fold(s, form, order.stored);
        } else {
            order.stored = rounded(channels, unit);
            work.a = convert(work.a, form, is_conv, plane, order.stored);
        }
        work.input_channels = order.stored * order.plane;
        work.repeats = is_fp16() && is_single(of.output) ? 2 : 1;
        work.weights = pack_matrix(program_, s, order, work.repeats, plan_.block);
        work.bias = pack_bias(s, kMatrixColumns);
        if (is_int8()) pack_ending(s, kMatrixColumns, &work.bias, &work.rescales, &work.scales);
        plan_.works.push_back(std::move(work));
    }

    // Adds a copy of a tensor with its channels last: of a conv's input; of a dense step's, whose rows already have
    // them last, with padding alone.
    std::uint32_t convert(std::uint32_t t, Form form, bool is_conv, std::uint32_t plane, std::uint32_t stored) {
        for (const PlannedWork& work : plan_.works) {  // the same copy may serve several steps
            if (work.kind != Kind::convert || work.a != t || !is_lasting(t)) continue;
            const PlannedTensor& to = tensor(work.output);
            if (to.form == form && to.plane == plane && to.stored_channels == stored &&
                work.step == (is_conv ? 1u : 0u))
                return work.output;
        }
        PlannedTensor to;
        to.home = Home::scratch;
        to.form = form;
        to.count = tensor(t).count;
        to.plane = plane;
        to.stored_channels = stored;
        to.row_elements = stored * plane;
        to.scale = tensor(t).scale;
        to.inverse_scale = tensor(t).inverse_scale;
        PlannedWork work;
        work.kind = Kind::convert;
        work.step = is_conv ? 1 : 0;
        work.a = t;
        work.output = static_cast<std::uint32_t>(plan_.tensors.size());
        plan_.tensors.push_back(to);
        plan_.works.push_back(work);
        return plan_.works.back().output;
    }

    // Adds what the kernel rows of a conv meet: [height][out_width][stored], for each column of the kernel the
    // channels.
    std::uint32_t fold(std::uint32_t s, Form form, std::uint32_t stored) {
        const core::NetworkWindow& w = step(s).window;
        PlannedTensor to;
        to.home = Home::scratch;
        to.form = form;
        to.plane = w.height * w.out_width;
        to.stored_channels = stored;
        to.count = to.row_elements = stored * to.plane;
        PlannedWork work = work_of(s, Kind::fold);
        work.residual = kNoTensor;
        work.output = static_cast<std::uint32_t>(plan_.tensors.size());
        plan_.tensors.push_back(to);
        plan_.works.push_back(work);
        return work.output;
    }

    // Biases of int8 steps lie with all others.
    std::uint64_t pack_bias(std::uint32_t s, std::uint32_t unit) {
        if (is_int8() && program_.quantised.steps[s].kind != QuantisedKind::single) return kNothing;
        const NetworkStep& of = step(s);
        const std::uint32_t channels = of.op == NetworkOp::dense ? of.n : of.window.out_channels;
        std::vector<float> bias(rounded(channels, unit), 0.0f);
        if (of.bias != core::kNoWeights) std::copy_n(net_.weights + of.bias, channels, bias.begin());
        return append(plan_.block, bias.data(), bias.size());
    }

    // What an int8 step does to its sums, by columns padded to whole units.
    void pack_ending(std::uint32_t s, std::uint32_t unit, std::uint64_t* biases, std::uint64_t* rescales,
                     std::uint64_t* scales) {
        const core::QuantisedView& view = program_.quantised;
        const core::QuantisedStep& q = view.steps[s];
        const std::uint32_t columns = step(s).op == NetworkOp::dense ? step(s).n : step(s).window.out_channels;
        *biases = append_padded(view.biases + q.bias, columns, unit, 0);
        if (q.kind == QuantisedKind::result)
            *scales = append_padded(view.scales + q.scales, columns, unit, 0.0f);
        else
            *rescales = append_padded(view.rescales + q.rescales, columns, unit, core::Rescale{0, 1});
    }

    template <class T>
    std::uint64_t append_padded(const T* from, std::uint32_t count, std::uint32_t unit, T padding) {
        std::vector<T> padded(rounded(count, unit), padding);
        std::copy_n(from, count, padded.begin());
        return append(plan_.block, padded.data(), padded.size());
    }

    // Whether a dense step can be a layer of a chain, whatever stands before it.
    bool fits_chain(std::uint32_t s) const {
        const NetworkStep& of = step(s);
        if (program_.precision == Precision::fp32 || done_[s] || of.op != NetworkOp::dense) return false;
        if (of.residual != kNoTensor || of.k > kChainWidth || of.n > kChainWidth) return false;
        if (writers_[of.output] != 1 || is_network_input(of.output)) return false;
        return is_int8() || !is_single(of.output) || splits_into_halves(program_, s);
    }

    bool can_chain(std::uint32_t s) {
        const PlannedTensor& in = tensor(step(s).inputs[0]);
        if (!fits_chain(s) || in.home == Home::constant || in.stored_channels != 0) return false;
        // Of wide lines that are no floats the matrix kernels make more.
        if (std::max(step(s).k, step(s).n) > 128 && in.form != Form::single) return false;
        return is_int8() || in.form == Form::half || in.reading == Reading::rounded;
    }

    std::vector<std::uint32_t> layers_on(std::uint32_t t, std::uint32_t m) const {
        std::vector<std::uint32_t> found;
        for (const std::uint32_t s : readers_[t])
            if (fits_chain(s) && step(s).m == m && step(s).inputs[0] == t) found.push_back(s);
        return found;
    }

    void plan_chain(std::uint32_t first) {
        PlannedWork work;
        work.kind = Kind::chain;
        work.step = first;
        work.a = step(first).inputs[0];
        const std::uint32_t m = step(first).m;
        std::vector<std::uint32_t> on = is_lasting(work.a) ? layers_on(work.a, m) : std::vector{first};
        bool from_input = true;
        while (!on.empty() && work.layers.size() < kChainLayers) {
            // Layers that nothing of the chain follows come first, the one that it goes on with last.
            std::uint32_t next = ~0u;
            for (const std::uint32_t s : on) {
                const std::uint32_t t = step(s).output;
                if (tensor(t).form == matrix_form() && !layers_on(t, m).empty()) {
                    next = std::min(next, s);
                } else if (work.layers.size() < kChainLayers) {
                    add_layer(work, s, false, from_input);
                }
            }
            if (next == ~0u || work.layers.size() >= kChainLayers) break;
            add_layer(work, next, true, from_input);
            from_input = false;
            on = layers_on(step(next).output, m);
        }
        // What somebody else reads is stored.
        for (PlannedLayer& layer : work.layers) {
            const std::uint32_t t = step(layer.step).output;
            const bool kept = std::all_of(readers_[t].begin(), readers_[t].end(), [&](std::uint32_t s) {
                return std::any_of(work.layers.begin(), work.layers.end(),
                                   [&](const PlannedLayer& other) { return other.step == s; });
            });
            if (layer.goes_on && kept) {
                tensor(t).home = Home::none;
                layer.stored = kNoTensor;
            }
        }
        if (work.layers.back().goes_on) work.layers.back().goes_on = false;
        plan_.works.push_back(std::move(work));
    }

    void add_layer(PlannedWork& work, std::uint32_t s, bool goes_on, bool from_input) {
        done_[s] = true;
        PlannedLayer layer{};
        layer.step = s;
        layer.goes_on = goes_on;
        layer.stored = step(s).output;
        layer.from_input = from_input;
        layer.repeats = is_fp16() && is_single(step(s).output) ? 2 : 1;
        layer.weights = pack_layer(program_, s, from_input, layer.repeats, plan_.block);
        layer.bias = pack_bias(s, kLayerColumns);
        layer.rescales = layer.scales = kNothing;
        if (is_int8()) pack_ending(s, kLayerColumns, &layer.bias, &layer.rescales, &layer.scales);
        work.layers.push_back(layer);
    }

    void find_lives() {
        for (std::uint32_t w = 0; w < plan_.works.size(); ++w) {
            const PlannedWork& work = plan_.works[w];
            const auto use = [&](std::uint32_t t) {
                if (t == kNoTensor) return;
                tensor(t).first_use = std::min(tensor(t).first_use, w);
                tensor(t).last_use = w;
            };
            for (const std::uint32_t t : {work.a, work.b, work.residual, work.output})
                use(t);
            for (const PlannedLayer& layer : work.layers)
                use(layer.stored);
        }
    }

    const core::NetworkProgram& program_;
    const NetworkView& net_;
    NetworkPlan plan_;
    std::vector<bool> done_;
    std::vector<std::uint32_t> writers_;               // [tensors] how many steps write it
    std::vector<std::vector<std::uint32_t>> readers_;  // [tensors] steps
};

}  // namespace

NetworkPlan make_plan(const core::NetworkProgram& program) {
    return Planner(program).run();
}

ScratchLayout lay_out(const NetworkPlan& plan, std::uint32_t row_capacity) {
    constexpr std::uint64_t kUnit = 256;
    ScratchLayout layout{std::vector<std::uint64_t>(plan.tensors.size(), 0), 0};
    const auto bytes_of = [&](const PlannedTensor& t) {
        return (std::uint64_t{t.row_elements} * form_bytes(t.form) * row_capacity + kUnit - 1) / kUnit * kUnit;
    };
    // Each tensor takes the lowest place that is free for as long as it lives.
    std::vector<std::uint32_t> placed;
    for (std::uint32_t t = 0; t < plan.tensors.size(); ++t) {
        const PlannedTensor& tensor = plan.tensors[t];
        if (tensor.home != Home::scratch || tensor.first_use == ~0u) continue;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
        for (const std::uint32_t other : placed)
            if (plan.tensors[other].first_use <= tensor.last_use && tensor.first_use <= plan.tensors[other].last_use)
                taken.emplace_back(layout.offsets[other], layout.offsets[other] + bytes_of(plan.tensors[other]));
        std::sort(taken.begin(), taken.end());
        std::uint64_t offset = 0;
        for (const auto& [begin, end] : taken) {
            if (offset + bytes_of(tensor) <= begin) break;
            offset = std::max(offset, end);
        }
        layout.offsets[t] = offset;
        layout.bytes = std::max(layout.bytes, offset + bytes_of(tensor));
        placed.push_back(t);
    }
    return layout;
}

}  // namespace augur::cuda
