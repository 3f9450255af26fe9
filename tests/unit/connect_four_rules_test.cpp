// The shipped Connect Four against the array board, ply by ply, and against published counts.

#include "rules/connect_four.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/rollout.h"
#include "support/connect_four_brute_force.h"
#include "support/split_mix.h"

namespace augur::test {
namespace {

using rules::ConnectFour;
using State = ConnectFour::State;

State state_of(const BruteForceConnectFour& board) {
    State state{0, 0};
    for (int column = 0; column < 7; ++column) {
        for (int row = 0; row < 6; ++row) {
            const int player = board.stone_at(column, row);
            if (player < 0) continue;
            (player == board.to_move() ? state.own : state.other) |= std::uint64_t{1} << (7 * column + row);
        }
    }
    return state;
}

kit::Step<1> play(State& state, int column) {
    kit::Random random({0, 0}, 0, 0, kit::Purpose::host);
    return ConnectFour::step(state, {{column}}, random);
}

TEST(ConnectFourRules, EveryPlyOfRandomGamesMatchesTheArrayBoard) {
    SplitMix64 random(11);
    int wins = 0;
    int draws = 0;
    for (int game = 0; game < 4000; ++game) {
        BruteForceConnectFour oracle;
        State state{0, 0};
        while (!oracle.over()) {
            ASSERT_FALSE(ConnectFour::terminal(state));
            ASSERT_EQ(ConnectFour::to_act(state), oracle.to_move());
            const auto mask = ConnectFour::legal(state, oracle.to_move());
            for (int column = 0; column < 7; ++column)
                ASSERT_EQ(mask.test(column), oracle.legal(column));
            const int column = random.below(7);
            if (!oracle.legal(column)) continue;
            const int mover = oracle.to_move();
            oracle.play(column);
            const kit::Step<1> step = play(state, column);
            ASSERT_EQ(step.terminal, oracle.over());
            ASSERT_EQ(step.reward[0], oracle.winner() == mover ? kit::kOne : 0);
            const State expected = state_of(oracle);
            ASSERT_EQ(state.own, expected.own);
            ASSERT_EQ(state.other, expected.other);
            ASSERT_EQ(ConnectFour::terminal(state), oracle.over());
        }
        (oracle.winner() >= 0 ? wins : draws) += 1;
    }
    EXPECT_GT(wins, 0);
    EXPECT_GT(draws, 0);
}

std::uint64_t perft(const State& state, int depth) {
    if (depth == 0) return 1;
    std::uint64_t count = 0;
    const auto mask = ConnectFour::legal(state, ConnectFour::to_act(state));
    for (int column = 0; column < 7; ++column) {
        if (!mask.test(column)) continue;
        State next = state;
        const bool over = play(next, column).terminal;
        if (!over || depth == 1) count += perft(next, depth - 1);
    }
    return count;
}

// The counts published with the Connect Four example of the kudchuet crate.
TEST(ConnectFourRules, PerftMatchesPublishedCounts) {
    const std::uint64_t published[] = {1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234};
    for (int depth = 0; depth <= 8; ++depth)
        EXPECT_EQ(perft({0, 0}, depth), published[depth]) << "depth " << depth;
}

// OEIS A212693 (J. Tromp), and at the same time: equal positions hash equally, different ones differently.
TEST(ConnectFourRules, HashSeparatesTheDistinctPositionsOfOeisA212693) {
    const std::size_t published[] = {1, 7, 49, 238, 1120, 4263, 16422, 54859};
    std::unordered_map<std::uint64_t, State> level = {{ConnectFour::hash({0, 0}), {0, 0}}};
    for (std::size_t plies = 0; plies <= 7; ++plies) {
        EXPECT_EQ(level.size(), published[plies]) << plies << " plies";
        std::unordered_map<std::uint64_t, State> next_level;
        for (const auto& entry : level) {
            if (ConnectFour::terminal(entry.second)) continue;
            const auto mask = ConnectFour::legal(entry.second, 0);
            for (int column = 0; column < 7; ++column) {
                if (!mask.test(column)) continue;
                State next = entry.second;
                play(next, column);
                const auto [at, fresh] = next_level.emplace(ConnectFour::hash(next), next);
                ASSERT_TRUE(fresh || (at->second.own == next.own && at->second.other == next.other))
                    << "a hash collision";
            }
        }
        level = std::move(next_level);
    }
}

kit::Gathered gather(std::uint64_t own, std::uint64_t other, State& state) {
    std::vector<std::int32_t> words;
    for (const std::uint64_t bits : {own, other}) {
        // Two agents: a decoy at index 0 shows that the agent asked for is the one that is read.
        for (const std::uint64_t half : {bits & 0xffffffffu, bits >> 32}) {
            words.push_back(-1);
            words.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(half)));
        }
    }
    return ConnectFour::gather(state, {words.data(), 2, 2}, 1, nullptr, 0);
}

TEST(ConnectFourRules, GatherReadsThePositionOfItsAgent) {
    SplitMix64 random(12);
    for (int game = 0; game < 300; ++game) {
        BruteForceConnectFour oracle;
        for (int plies = random.below(43); plies > 0 && !oracle.over();) {
            const int column = random.below(7);
            if (!oracle.legal(column)) continue;
            oracle.play(column);
            --plies;
        }
        const State expected = state_of(oracle);
        State state{};
        ASSERT_EQ(gather(expected.own, expected.other, state), kit::Gathered::ready) << oracle.text();
        EXPECT_EQ(state.own, expected.own);
        EXPECT_EQ(state.other, expected.other);
    }
}

TEST(ConnectFourRules, GatherFlagsImpossiblePositions) {
    State state{};
    const std::uint64_t sentinel = std::uint64_t{1} << 6;
    EXPECT_EQ(gather(sentinel, 0, state), kit::Gathered::bad_state) << "a stone above the board";
    EXPECT_EQ(gather(0, std::uint64_t{1} << 63, state), kit::Gathered::bad_state) << "a stone outside the board";
    EXPECT_EQ(gather(1, 1, state), kit::Gathered::bad_state) << "two stones in a cell";
    EXPECT_EQ(gather(0, 2, state), kit::Gathered::bad_state) << "a stone in the air";
    EXPECT_EQ(gather(4, 1, state), kit::Gathered::bad_state) << "a gap in a column";
    EXPECT_EQ(gather(1, 0, state), kit::Gathered::bad_state) << "the player to move is ahead";
    EXPECT_EQ(gather(0, 3, state), kit::Gathered::bad_state) << "the opponent moved twice";
    EXPECT_EQ(gather(0, 1, state), kit::Gathered::ready);
    EXPECT_EQ(gather(0, 0, state), kit::Gathered::ready);
}

// Random legal play, however the rules pick the column: all open columns equally often, and never a full one.
TEST(ConnectFourRules, RolloutsPlayEveryOpenColumnEquallyOften) {
    SplitMix64 oracle_random(13);
    std::set<int> open_counts;
    for (int position = 0; position < 300; ++position) {
        // Moves that would end the game are mostly taken back, so that boards fill up.
        BruteForceConnectFour oracle;
        for (int tries = 20 + oracle_random.below(160); tries > 0; --tries) {
            BruteForceConnectFour next = oracle;
            const int column = oracle_random.below(7);
            if (next.legal(column)) next.play(column);
            if (!next.over()) oracle = next;
        }
        const State state = state_of(oracle);
        std::vector<int> open;
        for (int column = 0; column < 7; ++column) {
            if (oracle.legal(column)) open.push_back(column);
        }
        open_counts.insert(static_cast<int>(open.size()));
        constexpr int kDraws = 4200;
        int counts[7] = {};
        kit::Random random({14, 15}, static_cast<std::uint32_t>(position), 0, kit::Purpose::rollout);
        for (int draw = 0; draw < kDraws; ++draw) {
            const int column = ConnectFour::rollout_action(state, 0, random);
            ASSERT_TRUE(oracle.legal(column)) << column;
            ++counts[column];
        }
        const double share = 1.0 / static_cast<double>(open.size());
        for (const int column : open) {
            ASSERT_NEAR(counts[column], kDraws * share, 5.5 * std::sqrt(kDraws * share * (1 - share)) + 1e-9);
        }
    }
    EXPECT_GE(open_counts.size(), 4u) << "too few different numbers of open columns were met";
}

// Whole games: rollouts end as games of the array board do under random play.
TEST(ConnectFourRules, RolloutsEndAsRandomGamesOfTheArrayBoardDo) {
    constexpr int kGames = 12000;
    SplitMix64 oracle_random(16);
    int expected[3] = {};
    int seen[3] = {};
    for (int game = 0; game < kGames; ++game) {
        BruteForceConnectFour oracle;
        while (!oracle.over()) {
            const int column = oracle_random.below(7);
            if (oracle.legal(column)) oracle.play(column);
        }
        ++expected[oracle.winner() + 1];
        kit::Random random({17, 18}, 0, static_cast<std::uint32_t>(game), kit::Purpose::rollout);
        std::uint32_t flags = 0;
        const std::int32_t value = core::rollout<ConnectFour>({0, 0}, 42, kit::kOne, random, flags).value[0];
        ASSERT_TRUE(value == kit::kOne || value == 0 || value == -kit::kOne);
        ASSERT_EQ(flags, 0u);
        ++seen[value == 0 ? 0 : value > 0 ? 1 : 2];
    }
    for (int end = 0; end < 3; ++end) {
        const double share = (expected[end] + seen[end]) / (2.0 * kGames);
        EXPECT_NEAR(seen[end], expected[end], 5 * std::sqrt(2 * kGames * share * (1 - share))) << "outcome " << end;
    }
    EXPECT_GT(seen[0], 0) << "draws";
    EXPECT_GT(seen[1], seen[2]) << "the first player wins more often";
}

}  // namespace
}  // namespace augur::test
