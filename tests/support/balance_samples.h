// What the networks of assets/models/balance will see, so that INT8 finds its scales: observations of random play, the
// states that the representation makes of them, and those with an action behind.
#ifndef AUGUR_TESTS_SUPPORT_BALANCE_SAMPLES_H
#define AUGUR_TESTS_SUPPORT_BALANCE_SAMPLES_H

#include <augur/augur.h>

#include <string>
#include <vector>

#include "support/balance_game.h"
#include "support/split_mix.h"

namespace augur::test {

struct BalanceSamples {
    static constexpr std::uint32_t kRows = 2048;
    std::vector<float> observations, states, plies;  // [kRows] each

    // False where a call failed. representation: the ONNX file.
    bool make(augur_context_id context, const std::string& representation) {
        SplitMix64 random(5);
        const auto within = [&random](double most) {
            return most * (static_cast<double>(random.next() >> 11) / 4503599627370496.0 - 1.0);
        };
        observations.resize(std::size_t{kRows} * BalanceGame::kObservation);
        for (std::uint32_t row = 0; row < kRows; ++row)
            BalanceGame{within(2.3), within(2.5), within(0.2), within(2.5)}.observe(observations.data() +
                                                                                    row * BalanceGame::kObservation);
        augur_model_desc desc = augur_model_desc_default();
        desc.path = representation.c_str();
        desc.precision = AUGUR_PRECISION_FP32;
        desc.row_capacity = kRows;
        augur_model_id model{0};
        augur_tensor_info state{};
        state.struct_size = sizeof state;
        if (augur_model_create(context, &desc, &model) < 0 || augur_model_output(model, 0, &state) < 0) return false;
        states.resize(std::size_t{kRows} * state.element_count);
        augur_evaluation_desc work = augur_evaluation_desc_default();
        work.row_count = kRows;
        work.inputs[0].format = AUGUR_FORMAT_F32;
        const bool done = attach(context, observations, AUGUR_ACCESS_READ, &work.inputs[0].buffer) &&
                          attach(context, states, AUGUR_ACCESS_WRITE, &work.outputs[0].buffer) &&
                          augur_model_evaluate(model, &work) >= 0 && augur_model_wait(model, UINT64_MAX, nullptr) >= 0;
        augur_buffer_unregister(work.inputs[0].buffer);
        augur_buffer_unregister(work.outputs[0].buffer);
        augur_model_destroy(model);
        for (std::uint32_t row = 0; row < kRows && done; ++row) {
            const float* const from = states.data() + std::size_t{row} * state.element_count;
            plies.insert(plies.end(), from, from + state.element_count);
            const std::uint64_t chosen = random.next() % BalanceGame::kActions;
            for (std::uint32_t a = 0; a < BalanceGame::kActions; ++a)
                plies.push_back(a == chosen ? 1.0f : 0.0f);
        }
        return done;
    }

  private:
    static bool attach(augur_context_id context, std::vector<float>& numbers, augur_access access,
                       augur_buffer_id* out) {
        augur_buffer_desc desc = augur_buffer_desc_default();
        desc.pointer = numbers.data();
        desc.size_bytes = numbers.size() * sizeof(float);
        desc.access = static_cast<std::uint32_t>(access);
        return augur_buffer_register(context, &desc, out) >= 0;
    }
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_BALANCE_SAMPLES_H
