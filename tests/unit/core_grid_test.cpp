// Neighbours found through the grid, against looking at everybody.

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/grid.h"
#include "support/split_mix.h"

namespace augur::core {
namespace {

struct Flock {
    static constexpr int kNeighbours = 5;
    static constexpr int kCellShift = 4;
    static constexpr int kPositionWord = 0;
    static bool present(const kit::Fields& fields, std::uint32_t agent) { return fields.get(2, agent) != 0; }
};

// Agents on the plane with a grid of few buckets, so that cells share them.
class Plane {
  public:
    Plane(std::uint32_t agents, std::uint32_t buckets)
        : agents_(agents), words_(3 * agents, 1), heads_(buckets, kNoNode), next_(agents) {}

    void place(std::uint32_t agent, std::int32_t x, std::int32_t y, bool present = true) {
        words_[agent] = x;
        words_[agents_ + agent] = y;
        words_[2 * agents_ + agent] = present ? 1 : 0;
    }
    void fill() {
        for (std::uint32_t agent = 0; agent < agents_; ++agent) {
            std::uint32_t bucket = 0;
            if (!grid_place<Flock>(grid(), fields(), agent, bucket)) continue;
            next_[agent] = heads_[bucket];
            heads_[bucket] = agent;
        }
    }
    std::vector<std::uint32_t> found(std::uint32_t agent, bool wanted = true) {
        std::uint32_t out[Flock::kNeighbours];
        const int count = find_neighbours<Flock>(grid(), fields(), agent, wanted, out, SerialLanes{});
        for (int i = count; i < Flock::kNeighbours; ++i)
            EXPECT_EQ(out[i], kNoNode);
        return {out, out + count};
    }
    // Who is in the cells around an agent, by distance and then by number.
    std::vector<std::uint32_t> expected(std::uint32_t agent) const {
        const std::int64_t x = words_[agent], y = words_[agents_ + agent];
        std::vector<std::tuple<std::int64_t, std::uint32_t>> near;
        for (std::uint32_t other = 0; other < agents_; ++other) {
            const std::int64_t ox = words_[other], oy = words_[agents_ + other];
            if (other == agent || words_[2 * agents_ + other] == 0) continue;
            if (std::abs((ox >> Flock::kCellShift) - (x >> Flock::kCellShift)) > 1) continue;
            if (std::abs((oy >> Flock::kCellShift) - (y >> Flock::kCellShift)) > 1) continue;
            near.emplace_back((ox - x) * (ox - x) + (oy - y) * (oy - y), other);
        }
        std::sort(near.begin(), near.end());
        near.resize(std::min<std::size_t>(near.size(), Flock::kNeighbours));
        std::vector<std::uint32_t> agents;
        for (const auto& [distance, other] : near)
            agents.push_back(other);
        return agents;
    }

  private:
    kit::Fields fields() { return {words_.data(), agents_, agents_}; }
    Grid grid() { return {heads_.data(), next_.data(), static_cast<std::uint32_t>(heads_.size())}; }

    std::uint32_t agents_;
    std::vector<std::int32_t> words_;
    std::vector<std::uint32_t> heads_, next_;
};

TEST(Grid, FindsTheNearestOfEverybodyAround) {
    test::SplitMix64 random(7);
    for (int round = 0; round < 300; ++round) {
        constexpr std::uint32_t kAgents = 60;
        // From all in one cell to hardly anybody near another; around 0, where cells have negative numbers.
        const int spread = 4 << random.below(6);
        Plane plane(kAgents, 1u << random.below(7));
        for (std::uint32_t agent = 0; agent < kAgents; ++agent)
            plane.place(agent, random.below(2 * spread) - spread, random.below(2 * spread) - spread,
                        random.below(8) != 0);
        plane.fill();
        for (std::uint32_t agent = 0; agent < kAgents; ++agent)
            ASSERT_EQ(plane.found(agent), plane.expected(agent)) << "agent " << agent << ", round " << round;
    }
}

TEST(Grid, LooksAcrossTheBordersOfCells) {
    // An agent at each corner and side of a cell, others one step beyond each border, and as far as a cell goes.
    for (const int x : {0, 7, 15})
        for (const int y : {0, 7, 15}) {
            Plane plane(10, 64);
            plane.place(0, x, y);
            std::uint32_t agent = 1;
            for (const int ox : {-1, 16, 31})
                for (const int oy : {-16, 8, 16})
                    plane.place(agent++, ox, oy);
            plane.fill();
            EXPECT_EQ(plane.found(0), plane.expected(0)) << x << ", " << y;
        }
}

TEST(Grid, FindsNobodyWhereNobodyIsWanted) {
    Plane plane(4, 64);
    for (std::uint32_t agent = 0; agent < 4; ++agent)
        plane.place(agent, 3, 3);
    plane.fill();
    EXPECT_TRUE(plane.found(0, false).empty());
    EXPECT_EQ(plane.found(2), (std::vector<std::uint32_t>{0, 1, 3})) << "in one place, by number";
}

}  // namespace
}  // namespace augur::core
