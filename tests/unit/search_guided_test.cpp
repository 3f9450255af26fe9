// The guided search: what becomes of a network's numbers, and promises that hold for any network.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "rules/connect_four.h"
#include "support/forest_tree.h"
#include "support/games/dice_race.h"
#include "support/guided_trees.h"
#include "support/hash_game.h"

namespace augur::test {
namespace {

using rules::ConnectFour;
using Mask7 = kit::ActionMask<7>;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<int> priors_of(const float (&logits)[7], Mask7 legal, bool* sound) {
    core::Prior priors[7];
    *sound = core::write_priors<7>(priors, logits, legal, core::SerialLanes{});
    return {priors, priors + 7};
}

TEST(Priors, AreTheSoftmaxOverTheLegalActions) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0.0f, 3.0f);
    for (int round = 0; round < 500; ++round) {
        float logits[7];
        for (float& x : logits)
            x = normal(random);
        const Mask7 legal = Mask7::from_bits(static_cast<std::uint32_t>(1 + random() % 127));
        double sum = 0;
        for (int a = 0; a < 7; ++a)
            sum += legal.test(a) ? std::exp(static_cast<double>(logits[a])) : 0.0;
        bool sound = false;
        const std::vector<int> priors = priors_of(logits, legal, &sound);
        EXPECT_TRUE(sound);
        for (int a = 0; a < 7; ++a) {
            const double expected = std::exp(static_cast<double>(logits[a])) / sum * 65535.0;
            if (!legal.test(a))
                EXPECT_EQ(priors[static_cast<std::size_t>(a)], 0);
            else
                EXPECT_NEAR(priors[static_cast<std::size_t>(a)], std::max(expected, 1.0), 1.5) << "round " << round;
        }
    }
}

TEST(Priors, OfIllegalActionsDoNotMatterHoweverWild) {
    float logits[7] = {1, kNaN, 3, kInfinity, 1, -kInfinity, 2};
    bool sound = false;
    const std::vector<int> priors = priors_of(logits, Mask7::from_bits(0b1010101), &sound);
    EXPECT_TRUE(sound);
    EXPECT_EQ(priors[1] + priors[3] + priors[5], 0);
    EXPECT_GT(priors[2], priors[6]);
    EXPECT_EQ(priors[0], priors[4]);
}

TEST(Priors, AreUniformWhereTheNetworkGivesNoNumbers) {
    const Mask7 legal = Mask7::from_bits(0b0011110);
    for (const float wild : {kNaN, kInfinity}) {
        float logits[7] = {0, 1, 2, wild, 4, 5, 6};
        bool sound = true;
        const std::vector<int> priors = priors_of(logits, legal, &sound);
        EXPECT_FALSE(sound);
        for (int a = 1; a <= 4; ++a)
            EXPECT_NEAR(priors[static_cast<std::size_t>(a)], 65535 / 4, 1);
    }
    float never[7] = {-kInfinity, -kInfinity, -kInfinity, -kInfinity, -kInfinity, -kInfinity, -kInfinity};
    bool sound = true;
    EXPECT_NEAR(priors_of(never, legal, &sound)[2], 65535 / 4, 1);
    EXPECT_FALSE(sound);
}

TEST(Priors, OfALegalActionAreNeverNothing) {
    float logits[7] = {3.0e38f, -3.0e38f, -kInfinity, 0, 0, 0, 0};
    bool sound = false;
    const std::vector<int> priors = priors_of(logits, Mask7::all(), &sound);
    EXPECT_TRUE(sound);
    EXPECT_NEAR(priors[0], 65535, 1);
    for (std::size_t a = 1; a < 7; ++a)
        EXPECT_EQ(priors[a], 1);
}

double value_of(std::initializer_list<float> head, core::ValueKind kind, float scale = 1.0f) {
    std::int32_t value = 0;
    EXPECT_TRUE(core::read_value(value, head.begin(), kind, scale));
    return value / 65536.0;
}

TEST(NetworkValue, MeansWhatItsKindSays) {
    constexpr double kNear = 2.0 / 65536.0;
    for (float x = -6.0f; x < 6.0f; x += 0.37f) {
        const double d = static_cast<double>(x);
        EXPECT_NEAR(value_of({x}, core::ValueKind::bounded), std::clamp(d, -1.0, 1.0), kNear);
        EXPECT_NEAR(value_of({x}, core::ValueKind::bounded, 0.25f), std::clamp(d / 4, -1.0, 1.0), kNear);
        EXPECT_NEAR(value_of({x}, core::ValueKind::tanh), std::tanh(d), kNear);
        EXPECT_NEAR(value_of({x}, core::ValueKind::logit), 2.0 / (1.0 + std::exp(-d)) - 1.0, kNear);
        EXPECT_NEAR(value_of({x}, core::ValueKind::probability), std::clamp(2.0 * d - 1.0, -1.0, 1.0), kNear);
        const double w = std::exp(d), draw = std::exp(0.5), loss = std::exp(-d / 2);
        EXPECT_NEAR(value_of({x, 0.5f, -x / 2}, core::ValueKind::outcomes), (w - loss) / (w + draw + loss), kNear);
    }
    EXPECT_EQ(value_of({3.0e38f}, core::ValueKind::tanh), 1.0);
    EXPECT_EQ(value_of({-3.0e38f}, core::ValueKind::logit), -1.0);
    EXPECT_EQ(value_of({3.0e38f, -3.0e38f, 0}, core::ValueKind::outcomes), 1.0);
}

TEST(NetworkValue, IsZeroAndToldWhereItIsNoNumber) {
    using Kind = core::ValueKind;
    for (const Kind kind : {Kind::bounded, Kind::tanh, Kind::probability, Kind::logit, Kind::outcomes}) {
        for (const float wild : {kNaN, kInfinity, -kInfinity}) {
            std::int32_t value = 77;
            const float head[3] = {wild, wild, wild};
            EXPECT_FALSE(core::read_value(value, head, kind, 1.0f));
            EXPECT_EQ(value, 0);
        }
    }
}

TEST(Gumbel, NoiseHasItsMeanAndVariance) {
    std::mt19937 random(7);
    constexpr int kDraws = 200000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double g = static_cast<double>(core::gumbel_noise(static_cast<std::uint32_t>(random())));
        ASSERT_TRUE(std::isfinite(g));
        sum += g;
        squares += g * g;
    }
    const double mean = sum / kDraws, variance = squares / kDraws - mean * mean;
    const double expected_variance = 1.6449340668;  // pi^2 / 6
    EXPECT_NEAR(mean, 0.5772156649, 5 * std::sqrt(expected_variance / kDraws));
    EXPECT_NEAR(variance, expected_variance, 0.05);
    EXPECT_TRUE(std::isfinite(core::gumbel_noise(0)));
    EXPECT_TRUE(std::isfinite(core::gumbel_noise(0xffffffffu)));
}

TEST(Gumbel, HalvesTheActionsAsInTheOriginalPaper) {
    const auto sequence = [](std::uint32_t actions, std::uint32_t simulations) {
        std::vector<std::uint32_t> out;
        for (std::uint32_t i = 0; i < simulations; ++i)
            out.push_back(core::considered_visits(actions, simulations, i));
        return out;
    };
    // 16 simulations over two phases: four actions twice, then two actions four times.
    EXPECT_EQ(sequence(4, 16), (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}));
    EXPECT_EQ(sequence(1, 4), (std::vector<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(sequence(8, 3), (std::vector<std::uint32_t>{0, 0, 0}));
}

// A network without meaning: numbers drawn from the features.
void noise(const float* features, float* logits, float* value) {
    std::uint64_t seed = 1;
    for (int i = 0; i < ConnectFour::kFeatures; ++i)
        seed = kit::mix64(seed * 3 + static_cast<std::uint64_t>(static_cast<int>(features[i]) + 1));
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    for (int a = 0; a < 7; ++a)
        logits[a] = normal(random);
    value[0] = std::tanh(normal(random));
}

ConnectFour::State position(std::uint32_t plies, std::uint32_t seed) {
    std::mt19937 random(seed);
    ConnectFour::State s{0, 0};
    kit::Random unused({0, 0}, 0, 0, kit::Purpose::chance);
    for (std::uint32_t i = 0; i < plies && !ConnectFour::terminal(s); ++i) {
        const auto legal = ConnectFour::legal(s, 0);
        ConnectFour::step(s, {{legal.nth(static_cast<int>(random() % static_cast<unsigned>(legal.count())))}}, unused);
    }
    return ConnectFour::terminal(s) ? ConnectFour::State{0, 0} : s;
}

core::Settings settings_for(core::Selection selection) {
    core::Settings settings = default_settings<ConnectFour>();
    settings.selection = selection;
    settings.considered_actions = 4;
    settings.gumbel_scale = 1.0f;
    return settings;
}

class GuidedBy : public ::testing::TestWithParam<core::Selection> {};
INSTANTIATE_TEST_SUITE_P(Selections, GuidedBy,
                         ::testing::Values(core::Selection::puct, core::Selection::uct, core::Selection::gumbel));

TEST_P(GuidedBy, ATreeIsTheSameAloneAndInAGroup) {
    constexpr std::uint32_t kTrees = 19, kSimulations = 50;
    std::vector<ConnectFour::State> roots;
    for (std::uint32_t i = 0; i < kTrees; ++i)
        roots.push_back(position(i, i));
    core::Settings settings = settings_for(GetParam());
    settings.gumbel_scale = 0.0f;  // the noise is that of the agent's number
    GuidedTrees<ConnectFour> together(kTrees, kSimulations + 1);
    together.search(roots, settings, kSimulations, noise);
    for (std::uint32_t i = 0; i < kTrees; ++i) {
        GuidedTrees<ConnectFour> alone(1, kSimulations + 1, 0x5A);
        alone.search({roots[i]}, settings, kSimulations, noise);
        EXPECT_EQ(core::decision_hash(0, alone.decision(0)), core::decision_hash(0, together.decision(i)));
        for (int a = 0; a < 7; ++a)
            EXPECT_EQ(alone.visits(0, a), together.visits(i, a));
    }
}

TEST_P(GuidedBy, EveryVisitedActionIsLegalAndEverySimulationCounted) {
    constexpr std::uint32_t kTrees = 24, kSimulations = 40;
    std::vector<ConnectFour::State> roots;
    for (std::uint32_t i = 0; i < kTrees; ++i)
        roots.push_back(position(12 + i, 100 + i));
    GuidedTrees<ConnectFour> trees(kTrees, kSimulations + 1);
    trees.search(roots, settings_for(GetParam()), kSimulations, noise);
    for (std::uint32_t i = 0; i < kTrees; ++i) {
        const auto tree = trees.tree(i);
        const core::Decision d = trees.decision(i);
        if (d.flags & core::kFlagOnlyAction) continue;
        EXPECT_TRUE(tree.header(0).legal[0].test(d.action));
        if (!(d.flags & core::kFlagEarlyStop)) {
            EXPECT_EQ(d.visits, kSimulations);
        }
        for (std::uint32_t node = 0; node < trees.work(i).nodes; ++node) {
            std::uint32_t sum = 0, priors = 0;
            for (int a = 0; a < 7; ++a) {
                const std::uint32_t n = core::edge_visits(tree.node_edges(node)[a]);
                if (!tree.header(node).legal[0].test(a)) {
                    EXPECT_EQ(n, 0u);
                }
                sum += n;
                priors += tree.node_priors(node)[a];
            }
            EXPECT_EQ(sum, tree.header(node).visits);
            if (!tree.header(node).terminal) {
                EXPECT_NEAR(priors, 65535.0, 8.0);
            }
        }
    }
}

TEST_P(GuidedBy, ANetworkOfNaNsStillGivesLegalActionsAndSaysSo) {
    const auto broken = [](const float*, float* logits, float* value) {
        std::fill(logits, logits + 7, kNaN);
        value[0] = kNaN;
    };
    GuidedTrees<ConnectFour> trees(1, 33);
    trees.search({{0, 0}}, settings_for(GetParam()), 32, broken);
    const core::Decision d = trees.decision(0);
    EXPECT_NE(d.flags & core::kFlagModelFallback, 0u);
    EXPECT_GE(d.action, 0);
    EXPECT_EQ(d.visits, 32u);
}

TEST_P(GuidedBy, AWinInOneIsProvenWhateverTheNetworkSays) {
    const auto gloomy = [](const float*, float* logits, float* value) {
        for (int a = 0; a < ConnectFour::kActions; ++a)
            logits[a] = static_cast<float>(a);
        value[0] = -1.0f;
    };
    // Three stones of the mover at the bottom of columns 0..2, the other's on top of them.
    const ConnectFour::State s{(1ull << 0) | (1ull << 7) | (1ull << 14), (1ull << 1) | (1ull << 8) | (1ull << 15)};
    core::Settings settings = settings_for(GetParam());
    settings.considered_actions = 7;
    GuidedTrees<ConnectFour> trees(1, 65);
    trees.search({s}, settings, 64, gloomy);
    EXPECT_EQ(trees.decision(0).action, 3);
    EXPECT_NE(trees.decision(0).flags & core::kFlagProven, 0u);
}

TEST(GuidedSearch, WithoutSimulationsThePriorsAnswer) {
    GuidedTrees<ConnectFour> trees(1, 2);
    trees.search({{0, 0}}, settings_for(core::Selection::puct), 0, [](const float*, float* logits, float* value) {
        for (int a = 0; a < 7; ++a)
            logits[a] = a == 5 ? 2.0f : 0.0f;
        value[0] = 0.5f;
    });
    EXPECT_EQ(trees.decision(0).action, 5);
    EXPECT_EQ(trees.decision(0).value, 0.5f);
    EXPECT_NE(trees.decision(0).flags & core::kFlagFallback, 0u);
}

TEST(GuidedSearch, WithoutAPolicyHeadPriorsAreUniform) {
    GuidedTrees<ConnectFour> trees(1, 17);
    GuidedTrees<ConnectFour>::Heads heads;
    heads.policy = false;
    trees.search({{0, 0}}, settings_for(core::Selection::puct), 16, noise, heads);
    for (int a = 0; a < 7; ++a)
        EXPECT_NEAR(trees.tree(0).node_priors(0)[a], 65535 / 7, 1);
}

TEST(GuidedSearch, WithoutAValueHeadAndWithUniformPriorsItIsTheSearchWithRollouts) {
    GuidedTrees<ConnectFour> trees(1, 101);
    GuidedTrees<ConnectFour>::Heads heads;
    heads.policy = false;
    heads.value = false;
    const core::Settings settings = settings_for(core::Selection::uct);  // no prior in its score
    trees.search({{0, 0}}, settings, 100, noise, heads);
    ForestTree<ConnectFour> plain(101);
    plain.search({0, 0}, settings, 100);
    for (int a = 0; a < 7; ++a)
        EXPECT_EQ(trees.visits(0, a), plain.visits(0, a));
}

using Hashes = HashGame<kit::Turn::alternating>;

core::Settings settings_for_hashes(std::uint32_t simulations) {
    core::Settings settings = default_settings<Hashes>();
    settings.node_capacity = simulations + 1;
    return settings;
}

TEST(GuidedLargeTree, WithOneLeafAWaveItIsTheForest) {
    for (std::uint32_t root = 1; root < 20; ++root) {
        GuidedTrees<Hashes> forest(1, 201), waves(1, 201);
        forest.search({{root, 0}}, settings_for_hashes(200), 200, hash_network);
        waves.search_waves({root, 0}, settings_for_hashes(200), 200, 1, hash_network);
        for (int a = 0; a < Hashes::kActions; ++a)
            EXPECT_EQ(forest.visits(0, a), waves.visits(0, a)) << "root " << root;
        EXPECT_EQ(forest.decision(0).value, waves.decision(0).value);
    }
}

TEST(GuidedLargeTree, AWaveAsksTheNetworkOfEachPositionOnce) {
    for (const std::uint32_t leaves : {7u, 32u, 100u}) {
        std::uint32_t asked = 0;
        const auto counting = [&](const float* features, float* logits, float* value) {
            ++asked;
            hash_network(features, logits, value);
        };
        GuidedTrees<Hashes> trees(1, 301);
        trees.search_waves({5, 0}, settings_for_hashes(300), 300, leaves, counting);
        std::uint32_t nodes = 0;
        for (std::uint32_t node = 0; node < 301; ++node)
            nodes += node == 0 || trees.tree(0).header(node).parent != core::kNoNode ? 1 : 0;
        EXPECT_EQ(asked, nodes);
        EXPECT_EQ(trees.decision(0).visits, 300u);
    }
}

// A race with dice, whose exact values are known, seen by a network that knows them.
struct SeenDiceRace : DiceRace {
    static constexpr int kFeatures = 4;
    static float feature(const State& s, int index) {
        const std::int32_t words[kFeatures] = {s.own, s.other, s.player, s.plies_left};
        return static_cast<float>(words[index]);
    }
};

TEST(GuidedChance, MeansComeToTheExactExpectations) {
    const auto knowing = [](const float* features, float* logits, float* value) {
        const auto word = [&](int i) { return static_cast<std::int32_t>(features[i]); };
        value[0] = static_cast<float>(DiceRace::value({word(0), word(1), word(2), word(3)}));
        logits[0] = logits[1] = 0.0f;
    };
    constexpr std::uint32_t kSimulations = 3000;
    core::Settings settings = default_settings<SeenDiceRace>();
    settings.exploration = 8.0f;  // both actions often
    for (const DiceRace::State root : {DiceRace::State{0, 0, 0, 20}, {2, 3, 1, 9}, {4, 1, 0, 5}, {1, 4, 1, 3}}) {
        GuidedTrees<SeenDiceRace> trees(1, kSimulations + 1);
        trees.search({root}, settings, kSimulations, knowing);
        for (int action = 0; action < 2; ++action) {
            const core::Edge edge = trees.tree(0).node_edges(0)[action];
            const double n = core::edge_visits(edge);
            ASSERT_GT(n, 100.0);
            // Below the action not only the best is tried, so means stay a little under it.
            const double exact = DiceRace::action_value(root, action);
            const double mean = static_cast<double>(core::edge_mean(edge));
            EXPECT_NEAR(mean, exact, 0.12 + 5.0 / std::sqrt(n)) << root.own << root.other << " action " << action;
        }
        EXPECT_EQ(trees.decision(0).visits, kSimulations);
    }
}

}  // namespace
}  // namespace augur::test
