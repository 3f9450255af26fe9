// What a search keeps of the networks of a learned game: by one thread, and by lanes that share the numbers.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "core/latent_leaf.h"
#include "support/thread_lanes.h"

namespace augur::test {
namespace {

using Game = core::LatentGame<8>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// f(lanes) by one thread, then by eight lanes.
template <class F>
void by_one_and_by_eight(const F& f) {
    f([](const auto& work) { work(core::SerialLanes{}); });
    f([](const auto& work) { LaneGroup<8>{}.run(work); });
}

TEST(LatentLeaf, RowsThatAreNotFiniteBecomeZeros) {
    by_one_and_by_eight([](const auto& run) {
        for (const std::uint32_t count : {1u, 7u, 8u, 9u, 70u}) {
            std::vector<float> row(count);
            std::iota(row.begin(), row.end(), -3.0e38f);
            const std::vector<float> before = row;
            run([&](auto lanes) { EXPECT_TRUE(core::keep_finite(row.data(), count, lanes)); });
            EXPECT_EQ(row, before);
            for (std::uint32_t at = 0; at < count; at += 1 + count / 3)
                for (const float bad : {kInfinity, -kInfinity, kNan}) {
                    row = before;
                    row[at] = bad;
                    run([&](auto lanes) { EXPECT_FALSE(core::keep_finite(row.data(), count, lanes)); });
                    EXPECT_EQ(row, std::vector<float>(count, 0.0f));
                }
        }
    });
}

TEST(LatentLeaf, APlyIsAStateAndOneOfTheActions) {
    by_one_and_by_eight([](const auto& run) {
        std::vector<float> parent(11);
        std::iota(parent.begin(), parent.end(), 1.0f);
        std::vector<float> row(11 + 9 + 1, 77.0f);
        run([&](auto lanes) { core::write_ply(row.data(), row.data() + 11, parent.data(), 11, 9, 4, lanes); });
        for (std::uint32_t i = 0; i < 11; ++i)
            EXPECT_EQ(row[i], parent[i]);
        for (std::uint32_t a = 0; a < 9; ++a)
            EXPECT_EQ(row[11 + a], a == 4 ? 1.0f : 0.0f);
        EXPECT_EQ(row[20], 77.0f) << "written past the row";
    });
}

// A tree of two nodes.
struct Nodes {
    core::NodeHeader<Game> headers[2] = {};
    std::int32_t values[2] = {5, 5};

    core::GuidedTree<Game> tree() {
        core::GuidedTree<Game> tree{};
        tree.headers = headers;
        tree.network_values = values;
        return tree;
    }
};

TEST(LatentLeaf, WhatIsHeardIsKept) {
    by_one_and_by_eight([](const auto& run) {
        std::vector<float> state(13);
        std::iota(state.begin(), state.end(), 0.5f);
        float reward = 0.5f;
        const auto hear = [&](Nodes& nodes, std::uint32_t node, const core::Heard& heard, std::vector<float>& latent,
                              bool wanted = true) {
            std::uint32_t flags = 0;
            bool sound = false;
            run([&](auto lanes) {
                std::uint32_t own = 0;
                const bool kept =
                    core::hear_state<Game>(nodes.tree(), node, heard, latent.data(), 13, own, lanes, wanted);
                if (!lanes.leader()) return;
                flags = own;
                sound = kept;
            });
            return std::pair(sound, flags);
        };
        const auto kBounded = core::ValueKind::bounded;
        const std::vector<float> untouched(13, 9.0f);
        for (const std::uint32_t node : {0u, 1u}) {
            Nodes nodes;
            std::vector<float> latent = untouched;
            nodes.headers[0].reward[0] = nodes.headers[1].reward[0] = 3;
            EXPECT_EQ(hear(nodes, node, {state.data(), &reward, kBounded, 0.5f}, latent), std::pair(true, 0u));
            EXPECT_EQ(latent, state);
            EXPECT_EQ(nodes.headers[node].reward[0], node == 0 ? 3 : 16384) << "nothing led to the root";
            EXPECT_EQ(nodes.headers[node].terminal, 0);
            EXPECT_EQ(nodes.values[node], 5) << "the advice comes after it";

            latent = untouched;
            const std::uint32_t fell_back = core::kFlagModelFallback;
            EXPECT_EQ(hear(nodes, node, {nullptr, &reward, kBounded, 0.5f}, latent), std::pair(false, fell_back));
            EXPECT_EQ(latent, untouched);
            EXPECT_EQ(nodes.headers[node].terminal, node);
            EXPECT_EQ(nodes.values[node], 0);
        }
        Nodes nodes;
        nodes.headers[1].reward[0] = 3;
        std::vector<float> latent = untouched;
        const float odd = kNan;
        EXPECT_EQ(hear(nodes, 1, {state.data(), &odd, kBounded, 1.0f}, latent),
                  std::pair(true, std::uint32_t{core::kFlagModelFallback}));
        EXPECT_EQ(nodes.headers[1].reward[0], 0);
        EXPECT_EQ(latent, state);
        nodes.headers[1].reward[0] = 3;
        EXPECT_EQ(hear(nodes, 1, {state.data(), nullptr, kBounded, 1.0f}, latent), std::pair(true, 0u));
        EXPECT_EQ(nodes.headers[1].reward[0], 3) << "no reward was heard";
        latent = untouched;
        EXPECT_EQ(hear(nodes, 1, {nullptr, &odd, kBounded, 1.0f}, latent, false), std::pair(false, 0u));
        EXPECT_EQ(nodes.headers[1].terminal, 0) << "not wanted";
        EXPECT_EQ(latent, untouched);
    });
}

}  // namespace
}  // namespace augur::test
