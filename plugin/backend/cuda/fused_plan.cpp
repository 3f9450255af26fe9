#include "backend/cuda/fused_plan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/half.h"

namespace augur::cuda {
namespace {

using core::NetworkOp;
using core::NetworkStep;
using core::NetworkView;

constexpr std::uint32_t kPairColumns = 16;

std::uint32_t rounded(std::uint32_t x, std::uint32_t unit) {
    return (x + unit - 1) / unit * unit;
}

std::uint32_t row_stride(std::uint32_t bytes) {
    return fused_stride(rounded(bytes, kFusedTileBytes) / kFusedTileBytes);
}

class Planner {
  public:
    explicit Planner(const core::NetworkProgram& program)
        : program_(program), net_(program.network), int8_(program.precision == core::Precision::int8) {}

    std::optional<FusedPlan> run() {
        if (program_.precision == core::Precision::fp32) return {};
        if (net_.input_count != 1) return {};
        find_steps();
        if (steps_.empty() || steps_.size() > kFusedLayers) return {};
        places_.assign(net_.tensor_count, {});
        const core::NetworkTensor& input = net_.tensors[net_.inputs[0]];
        if (input.count > kFusedWidth) return {};
        FusedNetwork& out = plan_.network;
        out.is_int8 = int8_ ? 1 : 0;
        out.features = input.count;
        if (int8_) out.inverse_scale = program_.quantised.tensors[net_.inputs[0]].inverse_scale;
        place(net_.inputs[0], row_stride(input.count * element_bytes()));
        out.feature_offset = places_[net_.inputs[0]].offset;
        out.feature_stride = places_[net_.inputs[0]].stride;
        for (std::uint32_t l = 0; l < steps_.size(); ++l)
            if (!add_layer(l)) return {};
        out.layer_count = static_cast<std::uint32_t>(steps_.size());
        if (!take_head(core::NetworkHead::policy, out.logits_offset, out.logits_stride) ||
            !take_head(core::NetworkHead::value, out.value_offset, out.value_stride))
            return {};
        mark_phases();
        if (is_usual()) join_heads();
        while (plan_.constants.size() % 4 != 0)
            plan_.constants.push_back(0);
        out.row_bytes = used_;
        out.weight_words = static_cast<std::uint32_t>(plan_.weights.size() / 4);
        out.constant_words = static_cast<std::uint32_t>(plan_.constants.size());
        return std::move(plan_);
    }

  private:
    struct Place {
        std::uint32_t offset, stride;  // stride 0: nowhere
        bool single;
    };

    std::uint32_t element_bytes() const { return int8_ ? 1 : 2; }

    // The steps that policy and value come of. What else the network can say, no search reads.
    void find_steps() {
        std::vector<bool> wanted(net_.tensor_count, false);
        for (const core::NetworkHead head : {core::NetworkHead::policy, core::NetworkHead::value}) {
            const std::uint32_t output = net_.heads[static_cast<std::uint32_t>(head)];
            if (output != core::kNoHead) wanted[net_.outputs[output]] = true;
        }
        for (std::uint32_t s = net_.step_count; s-- > 0;) {
            const NetworkStep& step = net_.steps[s];
            if (!wanted[step.output]) continue;
            steps_.push_back(s);
            for (const std::uint32_t input : {step.inputs[0], step.inputs[1], step.residual})
                if (input != core::kNoTensor) wanted[input] = true;
        }
        std::reverse(steps_.begin(), steps_.end());
    }
    const NetworkStep& step_of(std::uint32_t layer) const { return net_.steps[steps_[layer]]; }

    void place(std::uint32_t tensor, std::uint32_t stride, bool single = false) {
        places_[tensor] = {used_, stride, single};
        used_ += stride;
    }

    bool is_single(const NetworkStep& step, std::uint32_t number) const {
        if (int8_) return program_.quantised.steps[number].kind == core::QuantisedKind::result;
        return program_.half.single_tensors[step.output] != 0;
    }

    bool add_layer(std::uint32_t layer_number) {
        const std::uint32_t number = steps_[layer_number];
        const NetworkStep& step = net_.steps[number];
        if (step.op != NetworkOp::dense || step.m != 1 || step.residual != core::kNoTensor) return false;
        if (step.k > kFusedWidth || step.n > kFusedWidth) return false;
        if (int8_ && program_.quantised.steps[number].kind == core::QuantisedKind::single) return false;
        const Place input = places_[step.inputs[0]];
        const bool single = is_single(step, number);
        // Floats are not read by a layer; and a single layer of fp16 would read the network's input as floats.
        if (input.stride == 0 || input.single) return false;
        if (single && !int8_ && step.inputs[0] == net_.inputs[0]) return false;
        FusedLayer& layer = plan_.network.layers[layer_number];
        layer.input_offset = input.offset;
        layer.tiles = rounded(step.k * element_bytes(), kFusedTileBytes) / kFusedTileBytes;
        layer.passes = single && !int8_ ? 2 : 1;
        layer.columns = step.n;
        layer.output = single  ? (int8_ ? FusedOutput::from_int8 : FusedOutput::single)
                       : int8_ ? FusedOutput::int8
                       : step.activation == core::Activation::relu ? FusedOutput::half_relu
                                                                   : FusedOutput::half;
        layer.activation = step.activation;
        layer.alpha = step.alpha;
        layer.beta = step.beta;
        layer.table = kNoTable;
        const std::uint32_t bytes = single ? step.n * 4 : rounded(step.n, kPairColumns) * element_bytes();
        place(step.output, row_stride(bytes), single);
        layer.output_offset = places_[step.output].offset;
        layer.output_stride = places_[step.output].stride;
        layer.weights = static_cast<std::uint32_t>(plan_.weights.size() / 4);
        pack(step, number, layer);
        add_constants(step, number, layer);
        return true;
    }

    // The bytes of weight (k, n): one int8, or the low and high byte of a half.
    void weight_bytes(const NetworkStep& step, std::uint32_t number, const FusedLayer& layer, std::uint32_t pass,
                      std::uint32_t k, std::uint32_t n, unsigned char* out) const {
        const std::size_t at = static_cast<std::size_t>(k) * step.n + n;
        if (int8_) {
            out[0] =
                static_cast<unsigned char>(program_.quantised.weights[program_.quantised.steps[number].weights + at]);
            return;
        }
        std::uint16_t half;
        if (layer.passes == 1) {
            half = program_.half.weights[step.weights + at];
        } else {
            const float whole = net_.weights[step.weights + at];
            const std::uint16_t high = core::half_of_float(whole);
            half = pass == 0 ? high : core::half_of_float(whole - core::float_of_half(high));
        }
        std::memcpy(out, &half, sizeof half);
    }

    void pack(const NetworkStep& step, std::uint32_t number, const FusedLayer& layer) {
        const std::uint32_t row_bytes = layer.tiles * kFusedTileBytes;
        const std::uint32_t columns = layer.pairs() * kPairColumns;
        std::vector<unsigned char> transposed[2];  // by pass
        for (std::uint32_t pass = 0; pass < layer.passes; ++pass) {
            transposed[pass].assign(static_cast<std::size_t>(columns) * row_bytes, 0);
            for (std::uint32_t n = 0; n < step.n; ++n)
                for (std::uint32_t k = 0; k < step.k; ++k)
                    weight_bytes(
                        step, number, layer, pass, k, n,
                        transposed[pass].data() + static_cast<std::size_t>(n) * row_bytes + k * element_bytes());
        }
        // Lane l of an instruction holds column l / 4 and, of the tile's 32 bytes, those from 4 (l % 4) on and from
        // 16 + 4 (l % 4) on (PTX ISA, matrix fragments for mma.m16n8k16 and mma.m16n8k32).
        for (std::uint32_t pair = 0; pair < layer.pairs(); ++pair)
            for (std::uint32_t tile = 0; tile < layer.tiles; ++tile)
                for (std::uint32_t pass = 0; pass < layer.passes; ++pass)
                    for (std::uint32_t lane = 0; lane < 32; ++lane)
                        for (std::uint32_t word = 0; word < 4; ++word) {
                            const std::uint32_t column = pair * kPairColumns + word / 2 * 8 + lane / 4;
                            const std::uint32_t byte = tile * kFusedTileBytes + word % 2 * 16 + lane % 4 * 4;
                            std::uint32_t packed;
                            std::memcpy(&packed,
                                        transposed[pass].data() + static_cast<std::size_t>(column) * row_bytes + byte,
                                        sizeof packed);
                            plan_.weights.push_back(packed);
                        }
    }

    bool is_usual() const {
        if (steps_.size() < 3 || steps_.size() > 4) return false;
        for (std::uint32_t l = 0; l < steps_.size(); ++l) {
            const FusedLayer& layer = plan_.network.layers[l];
            const bool hidden = l < 2;
            if (step_of(l).inputs[0] != (l == 0 ? net_.inputs[0] : step_of(hidden ? 0 : 1).output)) return false;
            const FusedOutput hidden_output = int8_ ? FusedOutput::int8 : FusedOutput::half_relu;
            const FusedOutput head_output = int8_ ? FusedOutput::from_int8 : FusedOutput::single;
            if (layer.output != (hidden ? hidden_output : head_output)) return false;
            if (hidden && layer.columns != kUsualWidth) return false;
        }
        const std::uint32_t policy = head_layer(core::NetworkHead::policy),
                            value = head_layer(core::NetworkHead::value);
        const std::uint32_t heads = (policy != kNoLayer ? 1 : 0) + (value != kNoLayer ? 1 : 0);
        return heads == steps_.size() - 2 && policy != value &&
               (policy == kNoLayer || plan_.network.layers[policy].activation == core::Activation::none);
    }

    static constexpr std::uint32_t kNoLayer = 0xffffffffu;

    // The layer that makes a head.
    std::uint32_t head_layer(core::NetworkHead head) const {
        const std::uint32_t output = net_.heads[static_cast<std::uint32_t>(head)];
        for (std::uint32_t l = 0; l < steps_.size() && output != core::kNoHead; ++l)
            if (step_of(l).output == net_.outputs[output]) return l;
        return kNoLayer;
    }

    // Both heads as one layer.
    void join_heads() {
        UsualHeads& heads = plan_.network.usual;
        std::vector<unsigned char> transposed[2];  // by pass, [columns][input bytes]
        std::vector<std::uint32_t> bias;           // words
        std::vector<float> scales;
        const std::uint32_t row_bytes = kUsualWidth * element_bytes();
        for (const core::NetworkHead head : {core::NetworkHead::policy, core::NetworkHead::value}) {
            const std::uint32_t number = head_layer(head);
            if (head == core::NetworkHead::value) heads.value_column = heads.columns;
            if (number == kNoLayer) continue;
            const NetworkStep& step = step_of(number);
            const FusedLayer& layer = plan_.network.layers[number];
            for (std::uint32_t n = 0; n < step.n; ++n) {
                bias.push_back(plan_.constants[layer.bias + n]);
                if (int8_) scales.push_back(std::bit_cast<float>(plan_.constants[layer.factors + n]));
                for (std::uint32_t pass = 0; pass < layer.passes; ++pass) {
                    transposed[pass].resize(bias.size() * row_bytes);
                    for (std::uint32_t k = 0; k < step.k; ++k)
                        weight_bytes(step, steps_[number], layer, pass, k, n,
                                     transposed[pass].data() + (bias.size() - 1) * row_bytes + k * element_bytes());
                }
            }
            heads.columns += step.n;
            if (head == core::NetworkHead::value) {
                heads.value_activation = layer.activation;
                heads.value_alpha = layer.alpha;
                heads.value_beta = layer.beta;
            }
        }
        heads.weights = static_cast<std::uint32_t>(plan_.weights.size() / 4);
        const std::uint32_t padded = heads.blocks() * 8;
        for (std::vector<unsigned char>& bytes : transposed)
            bytes.resize(padded * row_bytes, 0);
        for (std::uint32_t block = 0; block < heads.blocks(); ++block)
            for (std::uint32_t tile = 0; tile < row_bytes / kFusedTileBytes; ++tile)
                for (std::uint32_t lane = 0; lane < 32; ++lane)
                    for (std::uint32_t word = 0; word < 4; ++word) {
                        const std::uint32_t column = block * 8 + lane / 4;
                        const std::uint32_t byte = tile * kFusedTileBytes + word / 2 * 16 + lane % 4 * 4;
                        std::uint32_t packed;
                        std::memcpy(&packed, transposed[word % 2].data() + column * row_bytes + byte, sizeof packed);
                        plan_.weights.push_back(packed);
                    }
        heads.bias = append(bias.data(), bias.size(), padded);
        if (int8_) heads.scales = append(scales.data(), scales.size(), padded);
    }

    template <class T>
    std::uint32_t append(const T* from, std::size_t count, std::size_t padded) {
        static_assert(sizeof(T) % 4 == 0 || sizeof(T) == 1);
        const auto first = static_cast<std::uint32_t>(plan_.constants.size());
        plan_.constants.resize(first + (std::max(count, padded) * sizeof(T) + 3) / 4, 0);
        std::memcpy(plan_.constants.data() + first, from, count * sizeof(T));
        return first;
    }

    void add_constants(const NetworkStep& step, std::uint32_t number, FusedLayer& layer) {
        const std::uint32_t columns = layer.pairs() * kPairColumns;
        if (!int8_) {
            const std::vector<float> none(step.n, 0.0f);
            const float* bias = step.bias != core::kNoWeights ? net_.weights + step.bias : none.data();
            layer.bias = append(bias, step.n, columns);
            return;
        }
        const core::QuantisedView& view = program_.quantised;
        const core::QuantisedStep& quantised = view.steps[number];
        layer.bias = append(view.biases + quantised.bias, step.n, columns);
        if (layer.output == FusedOutput::from_int8) {
            layer.factors = append(view.scales + quantised.scales, step.n, columns);
            return;
        }
        // Padding columns get factor 0.
        std::vector<core::Rescale> factors(columns, core::Rescale{0, kSmallFactorShift});
        std::copy_n(view.rescales + quantised.rescales, step.n, factors.begin());
        const bool all_small = std::all_of(factors.begin(), factors.end(), [](const core::Rescale& factor) {
            return factor.shift >= kSmallFactorShift;
        });
        if (!all_small || quantised.table != core::kNoWeights) layer.output = FusedOutput::int8_any;
        layer.factors = append(factors.data(), columns, columns);
        layer.low = quantised.low;
        layer.high = quantised.high;
        if (quantised.table != core::kNoWeights) layer.table = append(view.tables + quantised.table, 256, 256);
    }

    bool take_head(core::NetworkHead head, std::uint32_t& offset, std::uint32_t& stride) const {
        const std::uint32_t output = net_.heads[static_cast<std::uint32_t>(head)];
        if (output == core::kNoHead) return true;
        const Place place = places_[net_.outputs[output]];
        if (place.stride == 0 || !place.single) return false;
        offset = place.offset;
        stride = place.stride;
        return true;
    }

    // A barrier stands before the first layer that reads what was written since the last one.
    void mark_phases() {
        FusedNetwork& out = plan_.network;
        std::uint32_t first = 0;
        for (std::uint32_t l = 1; l < out.layer_count; ++l) {
            bool waits = false;
            for (std::uint32_t earlier = first; earlier < l; ++earlier)
                waits = waits || step_of(l).inputs[0] == step_of(earlier).output;
            if (!waits) continue;
            out.layers[l - 1].last_of_phase = 1;
            first = l;
        }
        out.layers[out.layer_count - 1].last_of_phase = 1;
    }

    const core::NetworkProgram& program_;
    const NetworkView& net_;
    const bool int8_;
    std::vector<std::uint32_t> steps_;  // of the network, by layer
    std::vector<Place> places_;
    std::uint32_t used_ = 0;
    FusedPlan plan_{};
};

}  // namespace

std::optional<FusedPlan> make_fused_plan(const core::NetworkProgram& program) {
    return Planner(program).run();
}

}  // namespace augur::cuda
