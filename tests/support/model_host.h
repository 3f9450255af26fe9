// A host whose planner a network guides, on the CPU backend through the C interface.
#ifndef AUGUR_TESTS_SUPPORT_MODEL_HOST_H
#define AUGUR_TESTS_SUPPORT_MODEL_HOST_H

#include <augur/augur.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "support/captured_log.h"
#include "support/connect_four_host.h"
#include "support/dense_onnx.h"

namespace augur::test {

// A number in [-1, 1) that depends on its place only.
inline float pattern(std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
    std::uint32_t h = layer * 0x9E3779B9u ^ row * 0x85EBCA6Bu ^ column * 0xC2B2AE35u;
    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
    h ^= h >> 12;
    return static_cast<float>(h & 0xffffu) / 32768.0f - 1.0f;
}
inline float small_pattern(std::uint32_t layer, std::uint32_t row, std::uint32_t column) {
    return 0.3f * pattern(layer + 7, row, column);
}

inline std::string connect_four_model(float (*weight)(std::uint32_t, std::uint32_t, std::uint32_t) = small_pattern) {
    return write_dense_onnx(42, {32, 16}, {{"policy", 7, ""}, {"value", 1, "Tanh"}}, weight);
}
// Prefers one column whatever it sees.
inline std::string stubborn_model(std::uint32_t column) {
    return write_dense_onnx(42, {4}, {{"policy", 7, ""}, {"value", 1, "Tanh"}},
                            [column](std::uint32_t layer, std::uint32_t row, std::uint32_t c) {
                                return layer == 1 && row == 4 && c == column ? 8.0f : 0.0f;
                            });
}

// Outlives the context of the host.
struct WithLog {
    CapturedLog log;
};

class ApiModel : public ::testing::Test, public WithLog, public ConnectFourHost {
  protected:
    void SetUp() override { context_desc.logger = log.logger(); }

    augur_result create(const std::string& bytes, augur_model_id* out, augur_model_desc desc) {
        desc.data = bytes.data();
        desc.size_bytes = bytes.size();
        return augur_model_create(context, &desc, out);
    }
    augur_result create(const std::string& bytes, augur_model_id* out) {
        return create(bytes, out, augur_model_desc_default());
    }
    augur_model_id model_of(const std::string& bytes) {
        augur_model_id model{0};
        EXPECT_EQ(create(bytes, &model), AUGUR_OK) << augur_last_message();
        return model;
    }
    void set_up_guided(std::uint32_t workers, const std::string& bytes) {
        create_context(workers);
        planner_desc.model = model_of(bytes);
        create_planner();
        bind_all();
    }
    static bool message_has(const char* text) { return std::strstr(augur_last_message(), text) != nullptr; }
};

}  // namespace augur::test

#endif  // AUGUR_TESTS_SUPPORT_MODEL_HOST_H
