// The networks that ship: what they say, and that a reward beside policy and value changes no search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/fused_plan.h"
#include "model/onnx.h"
#include "model/prepare.h"
#include "model/reference.h"
#include "support/skirmish_arena.h"
#include "support/skirmish_states.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

using core::NetworkHead;
using R = rules::Skirmish;

constexpr std::uint32_t kFeatures = R::kFeatures, kActions = R::kActions;

model::Network shipped(const std::string& game) {
    model::Network network;
    std::string message;
    EXPECT_EQ(model::load_onnx_file(AUGUR_SOURCE_DIR "/assets/models/" + game + ".onnx", {}, &network, message),
              AUGUR_OK)
        << message;
    return network;
}

std::uint32_t output_of(const model::Network& network, NetworkHead head) {
    return network.heads[static_cast<std::uint32_t>(head)];
}

// The same network as it would be without its reward, which its file has last.
model::Network without_reward(model::Network network) {
    EXPECT_EQ(output_of(network, NetworkHead::reward), network.outputs.size() - 1);
    EXPECT_EQ(network.steps.back().output, network.outputs.back().tensor);
    network.steps.pop_back();
    network.step_names.pop_back();
    network.outputs.pop_back();
    network.heads[static_cast<std::uint32_t>(NetworkHead::reward)] = core::kNoHead;
    return network;
}

// What every living unit sees in battles by the script, with every third action drawn.
std::vector<R::State> battle_states(std::uint64_t seed) {
    SplitMix64 random(seed);
    std::vector<R::State> states;
    for (int battle = 0; battle < 12; ++battle) {
        SkirmishWorld world = make_battle({1 + random.below(6), 1 + random.below(6), random.below(3)}, random.next());
        for (int ply = 0; ply < 60; ++ply) {
            std::vector<int> actions(world.units.size(), R::kHold);
            for (std::size_t i = 0; i < actions.size(); ++i) {
                if (world.units[i].health == 0) continue;
                if (ply % 4 == 0) states.push_back(world.state(i));
                actions[i] = random.below(3) == 0 ? random.below(R::kActions) : world.scripted_action(i);
            }
            world.advance(actions);
        }
    }
    return states;
}

std::vector<float> features_of(const std::vector<R::State>& states) {
    std::vector<float> features;
    for (const R::State& state : states)
        for (int f = 0; f < R::kFeatures; ++f)
            features.push_back(R::feature(state, f));
    return features;
}

// What each output says of all rows.
std::vector<std::vector<float>> said(const core::NetworkProgram& program, const std::vector<float>& features) {
    const core::NetworkView& net = program.network;
    const std::size_t rows = features.size() / kFeatures;
    std::vector<std::vector<float>> outputs;
    std::vector<float*> pointers;
    for (std::uint32_t o = 0; o < net.output_count; ++o)
        outputs.emplace_back(rows * net.tensors[net.outputs[o]].count);
    for (std::vector<float>& output : outputs)
        pointers.push_back(output.data());
    const float* inputs[] = {features.data()};
    model::run_reference(program, inputs, pointers.data(), static_cast<std::uint32_t>(rows));
    return outputs;
}

// The fused search kernel runs both or neither, with the same weights, as the usual network.
void expect_same_plan(const core::NetworkProgram& a, const core::NetworkProgram& b) {
    const std::optional<cuda::FusedPlan> one = cuda::make_fused_plan(a), other = cuda::make_fused_plan(b);
    EXPECT_EQ(one.has_value(), a.precision != core::Precision::fp32);
    ASSERT_EQ(one.has_value(), other.has_value());
    if (!one) return;
    EXPECT_EQ(one->weights, other->weights);
    EXPECT_EQ(one->constants, other->constants);
    EXPECT_EQ(one->network.layer_count, other->network.layer_count);
    EXPECT_EQ(one->network.row_bytes, other->network.row_bytes);
    EXPECT_EQ(one->network.usual.columns, kActions + 1u);
}

TEST(ModelThatShips, OfSkirmishHasAPolicyAValueAndARewardOfEachAction) {
    const model::Network network = shipped("skirmish");
    ASSERT_EQ(network.outputs.size(), 3u);
    ASSERT_EQ(network.inputs.size(), 1u);
    EXPECT_EQ(network.inputs[0].count, kFeatures);
    const struct {
        NetworkHead head;
        const char* name;
        std::uint64_t count;
    } heads[] = {
        {NetworkHead::policy, "policy", kActions},
        {NetworkHead::value, "value", 1},
        {NetworkHead::reward, "reward", kActions},
    };
    for (const auto& [head, name, count] : heads) {
        ASSERT_NE(output_of(network, head), core::kNoHead) << name;
        EXPECT_EQ(network.outputs[output_of(network, head)].name, name);
        EXPECT_EQ(network.outputs[output_of(network, head)].count, count) << name;
    }
}

TEST(ModelThatShips, OfConnectFourHasNoReward) {
    const model::Network network = shipped("connect_four");
    EXPECT_EQ(network.outputs.size(), 2u);
    EXPECT_EQ(output_of(network, NetworkHead::reward), core::kNoHead);
}

TEST(ModelThatShips, SaysMoreOfARewardThanAConstantDoes) {
    const model::Network network = shipped("skirmish");
    core::NetworkProgram program{};
    program.network = network.view();
    program.precision = core::Precision::fp32;
    const std::vector<R::State> states = battle_states(9001);
    ASSERT_GT(states.size(), 1000u);
    const std::vector<float> guesses = said(program, features_of(states))[2];
    std::vector<double> truth, guess;
    for (std::size_t i = 0; i < states.size(); ++i) {
        const auto legal = R::legal(states[i], 0);
        for (int action = 0; action < R::kActions; ++action) {
            if (!legal.test(action)) continue;
            R::State state = states[i];
            truth.push_back(skirmish_step(state, action).reward[0] / static_cast<double>(kit::kOne));
            guess.push_back(static_cast<double>(guesses[i * kActions + static_cast<std::size_t>(action)]));
        }
    }
    // The constant that is nearest to these very rewards, though nobody could know it beforehand.
    std::vector<double> sorted = truth;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    const double median = sorted[sorted.size() / 2];
    const auto count = static_cast<double>(truth.size());
    const double mean = std::accumulate(truth.begin(), truth.end(), 0.0) / count;
    const double guessed_mean = std::accumulate(guess.begin(), guess.end(), 0.0) / count;
    double error = 0, error_of_constant = 0, both = 0, truths = 0, guessed = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        error += std::abs(guess[i] - truth[i]);
        error_of_constant += std::abs(median - truth[i]);
        both += (guess[i] - guessed_mean) * (truth[i] - mean);
        truths += (truth[i] - mean) * (truth[i] - mean);
        guessed += (guess[i] - guessed_mean) * (guess[i] - guessed_mean);
    }
    EXPECT_LT(error, 0.85 * error_of_constant) << error / count << " and " << error_of_constant / count;
    EXPECT_GT(both / std::sqrt(truths * guessed), 0.55);
}

// The samples choose the scales of int8 and whether a precision is good enough: the reward has no say in either.
TEST(ModelThatShips, SearchesAsIfItHadNoReward) {
    const std::vector<float> seen = features_of(battle_states(77));
    std::vector<std::vector<float>> samples(2, seen);
    samples[0].clear();
    for (const std::uint64_t seed : {1001u, 1026u, 1030u, 1034u, 1038u}) {  // with some of these the reward fares worst
        samples.push_back(features_of(battle_states(seed)));
        samples.back().resize((seed % 2 == 0 ? 256 : 30) * kFeatures);
    }
    for (const std::vector<float>& some_samples : samples) {
        for (const model::PrecisionChoice precision :
             {model::PrecisionChoice::fp32, model::PrecisionChoice::fp16, model::PrecisionChoice::int8}) {
            const float* inputs[] = {some_samples.data()};
            model::PrepareOptions options;
            options.precision = precision;
            options.sample_inputs = inputs;
            options.sample_rows = static_cast<std::uint32_t>(some_samples.size() / kFeatures);
            model::Prepared with, without;
            std::string message;
            ASSERT_EQ(model::prepare(shipped("skirmish"), options, &with, message), AUGUR_OK) << message;
            ASSERT_EQ(model::prepare(without_reward(shipped("skirmish")), options, &without, message), AUGUR_OK);
            EXPECT_EQ(with.precision, without.precision);
            expect_same_plan(with.program(), without.program());
            const auto some = said(with.program(), seen), same = said(without.program(), seen);
            for (std::size_t output = 0; output < same.size(); ++output)
                EXPECT_EQ(std::memcmp(some[output].data(), same[output].data(), same[output].size() * sizeof(float)), 0)
                    << "output " << output << ", precision " << static_cast<int>(with.precision) << ", samples "
                    << options.sample_rows;
        }
    }
}

}  // namespace
}  // namespace augur::test
