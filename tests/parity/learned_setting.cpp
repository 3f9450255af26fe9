#include "parity/learned_setting.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/latent_game.h"
#include "model/onnx.h"
#include "support/dense_onnx.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kSampleRows = 96;
constexpr std::uint32_t kHidden = 24;

// -1 .. 1
float drawn(SplitMix64& random) {
    return static_cast<float>(random.below(2001) - 1000) * 0.001f;
}

// Layers of drawn weights, so that a sum of `rows` of them is about as large as one number.
using Weights = std::function<float(std::uint32_t layer, std::uint32_t row, std::uint32_t column)>;
Weights drawn_weights(SplitMix64& random, std::uint32_t inputs) {
    return [&random, inputs](std::uint32_t layer, std::uint32_t, std::uint32_t) {
        const auto rows = static_cast<float>(layer == 0 ? inputs : kHidden);
        return drawn(random) * 1.6f / std::sqrt(rows);
    };
}

// Breaking networks end with a square root of numbers about 1.5, but for the first one of `head` when hidden unit 0
// is on; it is where `triggers` of the inputs, four times each, are more than `threshold` together.
struct Breaking {
    std::vector<std::uint32_t> triggers;
    float threshold;
    std::uint32_t unit;
    std::uint32_t head;  // layer
};
Weights breaking_weights(SplitMix64& random, std::uint32_t inputs, std::vector<Breaking> breaking) {
    return [drawn_one = drawn_weights(random, inputs), inputs, breaking](std::uint32_t layer, std::uint32_t row,
                                                                         std::uint32_t column) {
        const float weight = drawn_one(layer, row, column);
        const std::uint32_t rows = layer == 0 ? inputs : kHidden;
        for (const Breaking& b : breaking) {
            if (layer == 0 && column == b.unit) {
                const bool triggers = std::find(b.triggers.begin(), b.triggers.end(), row) != b.triggers.end();
                return row == rows ? -b.threshold : triggers ? 4.0f : 0.0f;
            }
            if (layer > 0 && row == b.unit) return layer == b.head && column == 0 ? -2.0f : 0.0f;
        }
        if (layer == 0) return weight;
        return row == rows ? 1.5f : 0.3f * weight;
    };
}

// What an agent sees before scale and shift, as eight bits.
std::uint32_t drawn_byte(SplitMix64& random) {
    return static_cast<std::uint32_t>(random.below(256));
}
constexpr float kByteScale = 1.0f / 128.0f, kByteShift = -1.0f;

}  // namespace

LearnedSetting::LearnedSetting(const LearnedShape& shape) : shape_(shape) {
    std::copy_n(core::LatentGame<4>::kFields, 2, fields_);
    fields_[0].components = shape.observations;
    static constexpr const char* kNoNames[core::kMostLatentActions] = {};
    rules_ = core::make_rules_info<core::LatentGame<4>>();
    rules_.action_names = kNoNames;
    rules_.fields = fields_;
    rules_.action_count = shape.actions;
    rules_.player_count = shape.players;
    rules_.turn = shape.players == 2 ? kit::Turn::alternating : kit::Turn::single;
    rules_.default_discount = 63570;  // 0.97
    rules_.learned = true;
}

bool LearnedSetting::make_part(Backend& backend, const ParityCase& c, const std::string& onnx,
                               const std::vector<std::vector<float>>& samples, Part* out, std::string& error) {
    model::Network read;
    if (model::load_onnx({onnx.data(), onnx.size(), ""}, {}, &read, error) < 0) return false;
    std::vector<const float*> inputs;
    for (const std::vector<float>& rows : samples)
        inputs.push_back(rows.data());
    model::PrepareOptions options;
    options.precision = static_cast<model::PrecisionChoice>(*c.model);
    options.sample_inputs = inputs.data();
    options.sample_rows = kSampleRows;
    options.error_limit = 0.5f;  // drawn networks are rough in eight bits, and the same everywhere
    if (model::prepare(std::move(read), options, &out->prepared, error) < 0) return false;
    if (out->prepared.precision != *c.model) {
        error = "the model runs in another precision: " + error;
        return false;
    }
    error.clear();
    return backend.make_network(out->prepared.program(), &out->network, error) >= 0;
}

std::unique_ptr<LearnedSetting> LearnedSetting::make(Backend& backend, const ParityCase& c, std::string& error) {
    std::unique_ptr<LearnedSetting> made(new LearnedSetting(*c.learned));
    const LearnedShape& shape = made->shape_;
    const std::uint32_t observations = shape.observations, states = shape.states, actions = shape.actions;
    const std::string root = shape.breaks ? "Sqrt" : "Tanh";
    SplitMix64 random(911);

    // Observation 0 is at most 1, but where a root breaks it is 2.
    std::vector<float> seen(std::size_t{kSampleRows} * observations);
    for (float& number : seen)
        number = drawn(random);
    for (std::uint32_t row = 0; row < kSampleRows && shape.breaks; row += 5)
        seen[std::size_t{row} * observations] = 2.0f;
    const Weights see = shape.breaks ? breaking_weights(random, observations, {{{0}, 4.0f, 0, 1}})
                                     : drawn_weights(random, observations);
    const std::string representation = write_dense_onnx(observations, {kHidden}, {{"hidden", states, root}}, see);

    // States 0 and 1 of the samples are well on one side of what breaks by actions 0 and 1.
    std::vector<float> plies(std::size_t{kSampleRows} * (states + actions)), sample_states, sample_actions;
    for (std::uint32_t row = 0; row < kSampleRows; ++row) {
        float* const ply = plies.data() + std::size_t{row} * (states + actions);
        for (std::uint32_t n = 0; n < states; ++n) {
            const float x = drawn(random);
            ply[n] = !shape.breaks ? x : n > 1 ? 1.2f + 0.3f * x : x < 0.0f ? 0.6f : 1.5f;
        }
        ply[states + row % actions] = 1.0f;
        sample_states.insert(sample_states.end(), ply, ply + states);
        sample_actions.insert(sample_actions.end(), ply + states, ply + states + actions);
    }
    std::vector<DenseHead> heads = {{"next", states, root}};
    if (shape.rewards) heads.push_back({"reward", 1, root});
    const Weights act = shape.breaks ? breaking_weights(random, states + actions,
                                                        {{{0, states}, 6.8f, 0, 1}, {{1, states + 1}, 6.8f, 1, 2}})
                                     : drawn_weights(random, states + actions);
    const std::string dynamics = write_dense_onnx(states + actions, {kHidden}, heads, act, shape.joined ? 0 : actions);

    const std::uint32_t values = core::value_outputs(shape.value_kind);
    const std::string prediction = write_dense_onnx(
        states, {kHidden}, {{"policy", actions, ""}, {"value", values, values == 1 ? "Tanh" : ""}},
        [draw = drawn_weights(random, states)](std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
            return draw(layer, row, column) * 1.5f;
        });
    using Samples = std::vector<std::vector<float>>;
    if (!made->make_part(backend, c, representation, {seen}, &made->representation_, error) ||
        !made->make_part(backend, c, dynamics, shape.joined ? Samples{plies} : Samples{sample_states, sample_actions},
                         &made->dynamics_, error) ||
        !made->make_part(backend, c, prediction, {sample_states}, &made->prediction_, error))
        return nullptr;

    LearnedGame& game = made->game_;
    game.representation = {made->representation_.network.get(), core::ValueKind::bounded, 1.0f};
    game.dynamics = {made->dynamics_.network.get(), core::ValueKind::bounded, 0.125f};
    game.prediction = {made->prediction_.network.get(), shape.value_kind, 0.75f};
    game.observation_count = observations;
    game.state_count = states;
    game.action_count = actions;
    game.player_count = shape.players;
    game.state_output = 0;
    game.reward_output = shape.rewards ? 1 : core::kNoHead;
    game.observation_scale = shape.bytes ? kByteScale : 1.0f;
    game.observation_shift = shape.bytes ? kByteShift : 0.0f;
    made->see(c.agents);
    return made;
}

void LearnedSetting::see(std::uint32_t agents) {
    SplitMix64 random(912);
    const std::uint32_t count = shape_.observations;
    const std::size_t size = shape_.bytes ? 1 : sizeof(float);
    stride_ = (count * size + 3) / 4 * 4 + (shape_.bytes ? 12 : 0);  // packed, or structures with something else
    masks_at_ = (stride_ * agents + 7) / 8 * 8;
    memory_.assign(masks_at_ / 8 + agents, 0);
    auto* const bytes = reinterpret_cast<unsigned char*>(memory_.data());
    for (std::uint32_t agent = 0; agent < agents; ++agent) {
        for (std::uint32_t n = 0; n < count; ++n) {
            unsigned char* const to = bytes + stride_ * agent + n * size;
            float number = drawn(random);
            if (shape_.breaks && agent % 11 == 3 && n == 0) number = 2.0f;
            if (agent % 13 == 5 && n == count / 2)
                number =
                    agent % 2 == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
            if (shape_.bytes)
                *to = static_cast<unsigned char>(drawn_byte(random));
            else
                std::memcpy(to, &number, sizeof number);
        }
        std::uint64_t mask = random.next();
        if (agent % 3 != 0 || agent == 0) mask = ~std::uint64_t{0};
        if (agent % 17 == 2) mask = 0;
        if (agent % 19 == 4) mask = std::uint64_t{1} << agent % shape_.actions;
        memory_[masks_at_ / 8 + agent] = mask;
    }
}

augur_buffer_desc LearnedSetting::desc() {
    augur_buffer_desc desc{};
    desc.struct_size = sizeof desc;
    desc.kind = AUGUR_BUFFER_HOST;
    desc.access = AUGUR_ACCESS_READ;
    desc.pointer = memory_.data();
    desc.size_bytes = memory_.size() * sizeof memory_[0];
    return desc;
}

std::vector<Source> LearnedSetting::sources(BackendBuffer* buffer) const {
    return {{buffer, 0, stride_, shape_.bytes ? AUGUR_FORMAT_U8 : AUGUR_FORMAT_F32},
            {buffer, masks_at_, sizeof(std::uint64_t), AUGUR_FORMAT_U64}};
}

}  // namespace augur::test
