// Recordings of sessions on learned rules.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "support/learned_host.h"

namespace augur::test {
namespace {

constexpr std::uint32_t kAgents = 6, kFrames = 3;

bool message_has(const std::string& text) {
    return std::strstr(augur_last_message(), text.c_str()) != nullptr;
}

std::string contents_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class LearnedRecording : public ::testing::Test, public LearnedHost {
  protected:
    ~LearnedRecording() override { std::remove(path_.c_str()); }

    // A session whose observations are bytes between other bytes.
    void record() {
        const LearnedTable rules = table();
        create_context(1);
        take_models(rules);
        rules_desc.observation_scale = 1.0f / 255.0f;
        create_planner(kAgents);
        bind_all(rules.states, true);
        struct Seen {
            std::uint8_t pixels[40], other[4];
        };
        std::vector<Seen> seen(kAgents);
        const augur_binding at{buffer_of(seen.data(), seen.size() * sizeof(Seen), AUGUR_ACCESS_READ), AUGUR_FORMAT_U8,
                               0, 0, sizeof(Seen)};
        ASSERT_EQ(augur_planner_bind(planner, "observation", &at), AUGUR_OK) << augur_last_message();
        ASSERT_EQ(augur_planner_record_start(planner, path_.c_str()), AUGUR_OK) << augur_last_message();
        for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
            for (std::uint32_t i = 0; i < kAgents; ++i) {
                seen[i] = {};
                seen[i].pixels[(7 * i + 11 * frame) % 40] = 255;
                legal[i] = hash_table_legal(i + frame);
            }
            ASSERT_GE(plan(), 0) << augur_last_message();
        }
        ASSERT_EQ(augur_planner_record_stop(planner), AUGUR_OK) << augur_last_message();
        augur_planner_destroy(std::exchange(planner, {0}));
    }
    augur_result replay(augur_rules_id rules, const std::string& path) {
        report_ = {};
        report_.struct_size = sizeof report_;
        return augur_replay_with_rules(context, path.c_str(), rules, &report_);
    }

    const std::string path_ = ::testing::TempDir() + "augur_learned_recording.augur";
    augur_replay_report report_{};
};

TEST_F(LearnedRecording, ComesToTheSameHashesOnTheSameModels) {
    record();
    ASSERT_EQ(replay(planner_desc.rules, path_), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(report_.frames, kFrames);
    EXPECT_EQ(report_.frames_equal, kFrames);
    // In another context, of models that are loaded again.
    LearnedHost other;
    other.create_context(3);
    other.take_models(table());
    other.rules_desc.observation_scale = rules_desc.observation_scale;
    augur_rules_id again{0};
    ASSERT_EQ(augur_rules_learned(other.context, &other.rules_desc, &again), AUGUR_OK);
    augur_replay_report report{};
    report.struct_size = sizeof report;
    ASSERT_EQ(augur_replay_with_rules(other.context, path_.c_str(), again, &report), AUGUR_OK) << augur_last_message();
    EXPECT_EQ(report.frames_equal, kFrames);
    EXPECT_EQ(augur_replay_with_rules(other.context, path_.c_str(), planner_desc.rules, &report), AUGUR_ERROR_STALE_ID);
}

TEST_F(LearnedRecording, IsRefusedOnOtherRules) {
    record();
    augur_rules_id other{0};
    augur_learned_rules_desc desc = rules_desc;
    desc.player_count = 2;
    ASSERT_EQ(augur_rules_learned(context, &desc, &other), AUGUR_OK);
    EXPECT_EQ(replay(other, path_), AUGUR_ERROR_INVALID_MODEL);
    desc = rules_desc;
    desc.dynamics = model_of(table().dynamics(false));  // one input instead of two
    ASSERT_EQ(augur_rules_learned(context, &desc, &other), AUGUR_OK);
    EXPECT_EQ(replay(other, path_), AUGUR_ERROR_INVALID_MODEL);
    augur_replay_report report{};
    report.struct_size = sizeof report;
    EXPECT_EQ(augur_replay(context, path_.c_str(), &report), AUGUR_ERROR_NOT_FOUND);
    EXPECT_TRUE(message_has("augur_replay_with_rules")) << augur_last_message();
    ASSERT_EQ(augur_rules_builtin(context, "connect_four", &other), AUGUR_OK);
    EXPECT_EQ(replay(other, path_), AUGUR_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(replay({0}, path_), AUGUR_ERROR_STALE_ID);
    EXPECT_EQ(report.frames, 0u) << "nothing was written";
}

TEST_F(LearnedRecording, DamagedAnywhereIsRefused) {
    record();
    const std::string whole = contents_of(path_), damaged = path_ + ".damaged";
    ASSERT_GT(whole.size(), kFrames * kAgents * 40u);
    for (std::size_t at = 0; at < whole.size(); at += at < 200 ? 1 : 7) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
        std::ofstream(damaged, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        EXPECT_EQ(replay(planner_desc.rules, damaged), AUGUR_ERROR_IO) << at << ": " << augur_last_message();
    }
    std::remove(damaged.c_str());
}

}  // namespace
}  // namespace augur::test
