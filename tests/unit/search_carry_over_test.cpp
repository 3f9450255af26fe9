// A tree that is carried over: the same subtree as before, field by field, whoever does it, and a frame that goes on
// from it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "rules/connect_four.h"
#include "support/forest_tree.h"
#include "support/games/chain.h"
#include "support/games/dice_race.h"
#include "support/games/duel.h"
#include "support/games/nim.h"
#include "support/games/oddities.h"
#include "support/games/tic_tac_toe.h"
#include "support/guided_trees.h"
#include "support/hash_game.h"
#include "support/thread_lanes.h"

namespace augur::test {
namespace {

using core::CarryOutcome;
using core::kNoNode;
using rules::ConnectFour;

template <class R>
core::Settings carrying(core::CarryOver how = core::CarryOver::subtree) {
    core::Settings settings = default_settings<R>();
    settings.carry_over = how;
    return settings;
}

// All of a tree's arrays, on their own.
template <class R>
struct Copy {
    std::vector<core::NodeHeader<R>> headers;
    std::vector<core::Edge> edges;
    std::vector<std::uint32_t> children;
    std::vector<typename R::State> states;

    Copy(const core::Tree<R>& tree, std::uint32_t nodes)
        : headers(tree.headers, tree.headers + nodes),
          edges(tree.edges, tree.edges + std::size_t{nodes} * core::Tree<R>::D * R::kActions),
          children(tree.children, tree.children + std::size_t{nodes} * R::kActions),
          states(tree.states, tree.states + nodes) {}

    core::Tree<R> tree() const {
        auto& self = const_cast<Copy&>(*this);
        return {self.headers.data(), self.edges.data(), self.children.data(), self.states.data()};
    }
    std::uint32_t nodes() const { return static_cast<std::uint32_t>(headers.size()); }
};

template <class R>
std::vector<std::uint32_t> children_of(const core::Tree<R>& tree, std::uint32_t node, int action) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t child = tree.node_children(node)[action]; child != kNoNode;) {
        all.push_back(child);
        child = core::NodeHeader<R>::kBranches ? tree.header(child).next_sibling : kNoNode;
    }
    return all;
}

template <class R>
std::set<std::uint32_t> subtree_of(const core::Tree<R>& tree, std::uint32_t root) {
    std::set<std::uint32_t> all = {root};
    for (const std::uint32_t node : all)  // grows behind the iterator: children come after their parents
        for (int a = 0; a < R::kActions; ++a)
            for (const std::uint32_t child : children_of(tree, node, a))
                all.insert(child);
    return all;
}

// `now` is the part of `before` below `root`, all of it or its `room` most visited nodes; every field that does not
// name another node is what it was.
template <class R>
void expect_subtree(const Copy<R>& before, std::uint32_t root, const Copy<R>& now, std::uint32_t room = kNoNode) {
    using Shape = core::Tree<R>;
    const core::Tree<R> old_tree = before.tree(), new_tree = now.tree();
    std::set<std::uint32_t> kept = subtree_of(old_tree, root);
    if (kept.size() > room) {
        std::vector<std::uint32_t> by_visits(kept.begin(), kept.end());
        std::stable_sort(by_visits.begin(), by_visits.end(), [&](std::uint32_t a, std::uint32_t b) {
            return old_tree.header(a).visits > old_tree.header(b).visits;
        });
        kept = {by_visits.begin(), by_visits.begin() + room};
    }
    ASSERT_EQ(now.nodes(), kept.size());
    std::map<std::uint32_t, std::uint32_t> place;  // in order, so parents stay before their children
    for (const std::uint32_t node : kept)
        place.emplace(node, static_cast<std::uint32_t>(place.size()));
    for (const auto& [from, to] : place) {
        const auto& was = old_tree.header(from);
        const auto& is = new_tree.header(to);
        ASSERT_EQ(is.visits, was.visits) << from;
        ASSERT_EQ(is.player, was.player);
        ASSERT_EQ(is.terminal, was.terminal);
        ASSERT_EQ(is.proof, was.proof);
        ASSERT_TRUE(is.lost == was.lost && is.drawn == was.drawn);
        for (int d = 0; d < Shape::D; ++d) {
            ASSERT_TRUE(is.legal[d] == was.legal[d]);
            for (int a = 0; a < R::kActions; ++a)
                ASSERT_EQ(new_tree.node_edges(to, d)[a], old_tree.node_edges(from, d)[a]);
        }
        ASSERT_EQ(std::memcmp(&new_tree.state(to), &old_tree.state(from), sizeof(typename R::State)), 0);
        if (from == root) {
            ASSERT_EQ(is.parent, kNoNode);
            ASSERT_EQ(is.next_sibling, kNoNode);
            ASSERT_EQ(is.code, kNoNode);
            for (int d = 0; d < Shape::D; ++d) {
                ASSERT_EQ(is.reward[d], 0);
                ASSERT_EQ(is.action[d], 0);
            }
        } else {
            ASSERT_EQ(is.parent, place.at(was.parent));
            ASSERT_LT(is.parent, to);
            ASSERT_EQ(is.code, was.code);
            for (int d = 0; d < Shape::D; ++d) {
                ASSERT_EQ(is.reward[d], was.reward[d]);
                ASSERT_EQ(is.action[d], was.action[d]);
            }
        }
        for (int a = 0; a < R::kActions; ++a) {
            std::vector<std::uint32_t> expected;
            for (const std::uint32_t child : children_of(old_tree, from, a))
                if (kept.count(child) != 0) expected.push_back(place.at(child));
            ASSERT_EQ(children_of(new_tree, to, a), expected) << "node " << from << " action " << a;
        }
    }
}

template <class R>
struct Opening {
    static typename R::State state() { return {}; }
};
template <>
struct Opening<DiceRace> {
    static DiceRace::State state() { return {0, 0, 0, 20}; }
};
template <>
struct Opening<Nim> {
    static Nim::State state() { return {{7, 6, 5}, 0}; }
};
template <>
struct Opening<HashMaze> {
    static HashMaze::State state() { return {12345}; }
};
template <>
struct Opening<HashGame<kit::Turn::alternating>> {
    static HashGame<kit::Turn::alternating>::State state() { return {3, 0}; }
};

template <class R>
class CarryOver : public testing::Test {
  protected:
    static constexpr std::uint32_t kSimulations = 300, kCapacity = 1200;

    // Nodes that a search went on from, at most `depth` plies down.
    static std::vector<std::uint32_t> visited(const core::Tree<R>& tree, std::uint32_t nodes, std::uint32_t depth) {
        std::vector<std::uint32_t> found;
        for (std::uint32_t node = 0; node < nodes; ++node) {
            std::uint32_t down = 0;
            for (std::uint32_t up = node; up != 0; up = tree.header(up).parent)
                ++down;
            if (tree.header(node).visits > 0 && down <= depth) found.push_back(node);
        }
        return found;
    }
};

using Games = testing::Types<ConnectFour, TicTacToe, MisereTicTacToe, DiceRace, Duel, Nim, HashMaze,
                             HashGame<kit::Turn::alternating>>;
TYPED_TEST_SUITE(CarryOver, Games);

TYPED_TEST(CarryOver, KeepsTheSubtreeFieldByField) {
    using R = TypeParam;
    const core::Settings settings = carrying<R>();
    ForestTree<R> searched(TestFixture::kCapacity);
    searched.search(Opening<R>::state(), settings, TestFixture::kSimulations);
    const Copy<R> before(searched.tree(), searched.work().nodes);
    std::uint32_t moved = 0;
    for (const std::uint32_t node : TestFixture::visited(searched.tree(), searched.work().nodes, core::kCarryDepth)) {
        ForestTree<R> tree(TestFixture::kCapacity);
        tree.search(Opening<R>::state(), settings, TestFixture::kSimulations);
        const typename R::State root = before.states[node];
        ASSERT_EQ(tree.carry(root, settings, 8), CarryOutcome::carried);
        // Another node with that state may have been visited more often.
        std::uint32_t found = kNoNode;
        for (const std::uint32_t other : TestFixture::visited(before.tree(), before.nodes(), core::kCarryDepth)) {
            if (std::memcmp(&before.states[other], &root, sizeof root) != 0) continue;
            if (found == kNoNode || before.headers[other].visits > before.headers[found].visits) found = other;
        }
        expect_subtree(before, found, Copy<R>(tree.tree(), tree.work().nodes));
        if (testing::Test::HasFatalFailure()) return;
        EXPECT_EQ(tree.work().carried, before.headers[found].visits);
        EXPECT_EQ(tree.work().simulations, 0u);
        moved += found != 0 ? 1 : 0;
    }
    EXPECT_GT(moved, 0u);
}

TYPED_TEST(CarryOver, DropsTheLeastVisitedWhereRoomIsShort) {
    using R = TypeParam;
    const core::Settings settings = carrying<R>();
    ForestTree<R> searched(TestFixture::kCapacity);
    searched.search(Opening<R>::state(), settings, TestFixture::kSimulations);
    const Copy<R> before(searched.tree(), searched.work().nodes);
    for (const std::uint32_t room : {1u, 2u, 3u, 7u, 20u, 33u, 64u, 150u}) {
        for (const std::uint32_t root : {0u, before.tree().node_children(0)[0], before.tree().node_children(0)[1]}) {
            if (root == kNoNode || before.headers[root].visits == 0) continue;
            ForestTree<R> tree(TestFixture::kCapacity);
            tree.search(Opening<R>::state(), settings, TestFixture::kSimulations);
            std::vector<std::uint32_t> forward(before.nodes()), source(before.nodes());
            const std::uint32_t kept =
                core::carry_subtree<R>(tree.tree(), before.nodes(), root, room,
                                       core::CarryScratch{forward.data(), source.data()}, core::SerialLanes{});
            expect_subtree(before, root, Copy<R>(tree.tree(), kept), room);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TYPED_TEST(CarryOver, ComesToTheSameWithManyLanes) {
    using R = TypeParam;
    core::Settings settings = carrying<R>();
    for (const std::uint32_t capacity : {std::uint32_t{TestFixture::kCapacity}, 100u}) {
        for (std::uint32_t ply = 0; ply < 3; ++ply) {
            ForestTree<R> alone(TestFixture::kCapacity), together(TestFixture::kCapacity);
            alone.search(Opening<R>::state(), settings, TestFixture::kSimulations);
            together.search(Opening<R>::state(), settings, TestFixture::kSimulations);
            // The most visited way down.
            std::uint32_t node = 0;
            for (std::uint32_t i = 0; i < ply; ++i) {
                std::uint32_t best = node;
                for (std::uint32_t n = 0; n < alone.work().nodes; ++n)
                    if (alone.header(n).parent == node &&
                        (best == node || alone.header(n).visits > alone.header(best).visits))
                        best = n;
                node = best;
            }
            const typename R::State root = alone.state(node);
            settings.node_capacity = capacity;
            std::vector<std::uint32_t> maps[4];
            for (auto& map : maps)
                map.resize(TestFixture::kCapacity);
            const core::Carried expected =
                core::carry_tree<R>(alone.tree(), alone.work(), root, kit::Gathered::ready, settings, 40,
                                    core::CarryScratch{maps[0].data(), maps[1].data()}, core::SerialLanes{});
            constexpr int kLanes = 8;
            core::Carried got[kLanes];
            LaneGroup<kLanes> group;
            group.run([&](auto lanes) {
                got[lanes.index()] =
                    core::carry_tree<R>(together.tree(), together.work(), root, kit::Gathered::ready, settings, 40,
                                        core::CarryScratch{maps[2].data(), maps[3].data()}, lanes);
            });
            for (const core::Carried& carried : got) {
                EXPECT_EQ(carried.outcome, expected.outcome);
                EXPECT_EQ(carried.work.nodes, expected.work.nodes);
                EXPECT_EQ(carried.work.carried, expected.work.carried);
                EXPECT_EQ(carried.work.active, expected.work.active);
                EXPECT_EQ(carried.work.flags, expected.work.flags);
            }
            const Copy<R> a(alone.tree(), expected.work.nodes), b(together.tree(), expected.work.nodes);
            expect_subtree(a, 0, b);
        }
    }
}

TYPED_TEST(CarryOver, BeginsAnewWhereTheRootIsNotInTheTree) {
    using R = TypeParam;
    const core::Settings settings = carrying<R>();
    ForestTree<R> searched(TestFixture::kCapacity), fresh(TestFixture::kCapacity);
    searched.search(Opening<R>::state(), settings, TestFixture::kSimulations);
    typename R::State elsewhere = Opening<R>::state();
    kit::Random random({7, 7}, 0, 0, kit::Purpose::chance);
    for (int ply = 0; ply < 2; ++ply) {  // a state that is legal, two plies on, and then some bits off
        kit::JointActionOf<R> joint{};
        for (int d = 0; d < kit::kDeciders<R>; ++d)
            joint.action[d] = R::legal(elsewhere, d > 0 ? d : R::to_act(elsewhere)).first();
        R::step(elsewhere, joint, random);
    }
    const auto is_known = [&] {
        for (std::uint32_t node = 0; node < searched.work().nodes; ++node)
            if (std::memcmp(&searched.state(node), &elsewhere, sizeof elsewhere) == 0) return true;
        return false;
    };
    for (int bit = 0; bit == 0 || is_known(); ++bit)
        reinterpret_cast<unsigned char*>(&elsewhere)[sizeof elsewhere - 4] ^= static_cast<unsigned char>(1 << bit);
    EXPECT_EQ(searched.carry(elsewhere, settings, 50), CarryOutcome::reset);
    EXPECT_EQ(searched.work().nodes, 1u);
    EXPECT_EQ(searched.header(0).visits, 0u);
    EXPECT_EQ(std::memcmp(&searched.state(0), &elsewhere, sizeof elsewhere), 0);
    // From there on it is the search that a new tree has.
    const core::Decision after = searched.search_on(elsewhere, settings, 50, 3);
    const core::Decision alone = fresh.search(elsewhere, settings, 50, 1, 0, 3);
    EXPECT_EQ(core::decision_hash(0, after), core::decision_hash(0, alone));
}

// A world that stands still is thought about frame after frame.
TYPED_TEST(CarryOver, GoesOnThinkingWhereTheWorldDidNotMove) {
    using R = TypeParam;
    core::Settings settings = carrying<R>();
    ForestTree<R> tree(TestFixture::kCapacity);
    const auto root = Opening<R>::state();
    tree.search(root, settings, 40, 1, 0, 0);
    for (std::uint64_t frame = 1; frame <= 5; ++frame) {
        const std::uint32_t nodes = tree.work().nodes, visits = tree.header(0).visits;
        const core::Decision decision = tree.search_on(root, settings, 40, frame);
        if (tree.work().flags & core::kFlagEarlyStop) return;  // proven
        EXPECT_EQ(decision.visits, visits + 40);
        EXPECT_GE(tree.work().nodes, nodes);
        EXPECT_EQ(tree.work().simulations, 40u);
    }
    EXPECT_EQ(tree.header(0).visits, 240u);
}

TYPED_TEST(CarryOver, CountsWhatIsCarriedWhereAsked) {
    using R = TypeParam;
    core::Settings settings = carrying<R>();
    settings.count_carried = 1;
    ForestTree<R> tree(TestFixture::kCapacity);
    const auto root = Opening<R>::state();
    tree.search(root, settings, 60, 1, 0, 0);
    if (tree.work().flags & core::kFlagEarlyStop) return;
    tree.search_on(root, settings, 100, 1);
    EXPECT_EQ(tree.header(0).visits, 100u);
    EXPECT_EQ(tree.work().simulations - tree.work().counted, 40u);
    tree.search_on(root, settings, 100, 2);  // nothing left to do
    EXPECT_EQ(tree.header(0).visits, 100u);
    EXPECT_EQ(tree.work().simulations - tree.work().counted, 0u);
    tree.search_on(root, settings, 80, 3);  // less is asked than there is
    EXPECT_EQ(tree.header(0).visits, 100u);
}

TYPED_TEST(CarryOver, StaysWithinItsNodesFrameAfterFrame) {
    using R = TypeParam;
    core::Settings settings = carrying<R>();
    constexpr std::uint32_t kNodes = 90;
    ForestTree<R> tree(kNodes);
    auto root = Opening<R>::state();
    tree.search(root, settings, 40, 1, 0, 0);
    for (std::uint64_t frame = 1; frame <= 12; ++frame) {
        const core::Decision decision = tree.search_on(root, settings, 40, frame);
        EXPECT_LE(tree.work().nodes, kNodes);
        EXPECT_EQ(decision.flags & core::kFlagPoolExhausted, 0u) << "room was kept for every simulation";
        std::uint64_t edges = 0;
        for (std::uint32_t node = 0; node < tree.work().nodes; ++node) {
            for (int a = 0; a < R::kActions; ++a)
                for (const std::uint32_t child : children_of(tree.tree(), node, a)) {
                    ++edges;
                    ASSERT_LT(child, tree.work().nodes);
                    ASSERT_EQ(tree.header(child).parent, node);
                    ASSERT_LT(tree.header(child).visits, tree.header(node).visits);
                }
        }
        EXPECT_EQ(edges + 1, tree.work().nodes) << "every node hangs where its parent says";
    }
}

TEST(CarryOverProofs, AreKept) {
    const TicTacToe::State root = {0b000'010'010, 0b010'100'001};
    const core::Settings settings = carrying<TicTacToe>();
    ForestTree<TicTacToe> tree(600);
    tree.search(root, settings, 400);
    std::uint32_t proven = kNoNode;
    for (std::uint32_t node = 1; node < tree.work().nodes && proven == kNoNode; ++node)
        if (tree.header(node).proof != core::Proof::open && tree.header(node).visits > 0 &&
            tree.header(node).parent == 0)
            proven = node;
    ASSERT_NE(proven, kNoNode);
    const core::Proof proof = tree.header(proven).proof;
    const TicTacToe::State next = tree.state(proven);
    const core::Decision decision = tree.search_on(next, settings, 100, 1);
    EXPECT_EQ(tree.header(0).proof, proof);
    EXPECT_TRUE(decision.flags & core::kFlagProven);
    EXPECT_TRUE(decision.flags & core::kFlagEarlyStop);
    EXPECT_EQ(tree.work().simulations, 0u) << "nothing is searched again that is certain";
}

TEST(CarryOverDepth, IsBounded) {
    const core::Settings settings = carrying<HashMaze>();
    ForestTree<HashMaze> tree(3000);
    tree.search({12345}, settings, 2900);
    std::uint32_t deep = 0;
    for (std::uint32_t node = 0; node < tree.work().nodes && deep < 2; ++node) {
        std::uint32_t depth = 0;
        for (std::uint32_t up = node; up != 0; up = tree.header(up).parent)
            ++depth;
        if (tree.header(node).visits == 0 || (depth != core::kCarryDepth && depth != core::kCarryDepth + 1)) continue;
        const std::uint32_t found =
            core::find_state<HashMaze>(tree.tree(), tree.work().nodes, tree.state(node), core::SerialLanes{});
        if (depth == core::kCarryDepth)
            EXPECT_NE(found, kNoNode);
        else if (found != kNoNode)
            EXPECT_NE(found, node);
        else
            ++deep;
    }
    EXPECT_GT(deep, 0u);
}

// Equal hashes are not enough: Duel's hash tells little but the parity of the ply.
TEST(CarryOverGuard, ComparesStatesAndNotTheirHashes) {
    const core::Settings settings = carrying<Duel>();
    ForestTree<Duel> tree(400);
    tree.search({}, settings, 300);
    const Duel::State other = {1, 0};
    ASSERT_EQ(Duel::hash(other), Duel::hash(tree.state(0)));
    EXPECT_EQ(tree.carry(other, settings, 10), CarryOutcome::reset);
}

TEST(CarryOverEmpty, IsAFreshStart) {
    const core::Settings settings = carrying<ConnectFour>();
    ForestTree<ConnectFour> tree(100), fresh(100);
    EXPECT_EQ(tree.carry({0, 0}, settings, 50), CarryOutcome::nothing);
    EXPECT_EQ(tree.work().nodes, 1u);
    // A root that was never visited has nothing to give.
    EXPECT_EQ(tree.carry({0, 0}, settings, 50), CarryOutcome::reset);
    EXPECT_EQ(tree.work().nodes, 1u);
}

TEST(CarryOverWithoutTime, AnswersFromWhatIsThere) {
    const core::Settings settings = carrying<ConnectFour>();
    ForestTree<ConnectFour> tree(300);
    const core::Decision before = tree.search({0, 0}, settings, 100);
    const core::Decision now = tree.search_on({0, 0}, settings, 0, 1);
    EXPECT_EQ(now.action, before.action);
    EXPECT_EQ(now.value, before.value);
    EXPECT_EQ(now.flags & core::kFlagFallback, 0u);
}

TEST(CarryOverForAges, EndsBeforeAnEdgeOverflows) {
    const core::Settings settings = carrying<ConnectFour>();
    ForestTree<ConnectFour> tree(300);
    tree.search({0, 0}, settings, 100);
    tree.tree().header(0).visits = core::kMaxSimulations - 50;  // as after days of thinking
    const core::Decision decision = tree.search_on({0, 0}, settings, 100, 1);
    EXPECT_EQ(tree.header(0).visits, core::kMaxSimulations - 50);
    EXPECT_TRUE(decision.flags & core::kFlagEarlyStop);
    tree.search_on({0, 0}, settings, 50, 2);
    EXPECT_EQ(tree.header(0).visits, core::kMaxSimulations);
}

TEST(WarmStart, GivesTheNewRootAShareOfTheOldOnesVisits) {
    const core::Settings settings = carrying<HashMaze>(core::CarryOver::warm_start);
    ForestTree<HashMaze> tree(300);
    tree.search({12345}, settings, 200);
    const Copy<HashMaze> before(tree.tree(), tree.work().nodes);
    // A maze with other open ways, so that some actions of the old root are not there any more.
    std::uint64_t next = 1;
    while (HashMaze::legal({next}, 0) == HashMaze::legal({12345}, 0) || HashMaze::legal({next}, 0).count() < 2 ||
           HashMaze::to_act({next}) != HashMaze::to_act({12345}) || HashMaze::terminal({next}))
        ++next;
    ASSERT_EQ(tree.carry({next}, settings, 100), CarryOutcome::warmed);
    EXPECT_EQ(tree.work().nodes, 1u);
    EXPECT_EQ(tree.work().carried, 0u) << "the network has not seen this root";
    std::uint32_t visits = 0;
    for (int a = 0; a < HashMaze::kActions; ++a) {
        const core::Edge was = before.edges[static_cast<std::size_t>(a)], is = tree.tree().node_edges(0)[a];
        EXPECT_EQ(tree.tree().node_children(0)[a], kNoNode);
        visits += core::edge_visits(is);
        if (!tree.header(0).legal[0].test(a)) {
            EXPECT_EQ(is, 0u);
            continue;
        }
        EXPECT_EQ(core::edge_visits(is), core::edge_visits(was) * 25 / 200);
        if (core::edge_visits(is) > 0) {
            EXPECT_NEAR(core::edge_mean(is), core::edge_mean(was), 1e-4);
        }
    }
    EXPECT_EQ(tree.header(0).visits, visits);
    EXPECT_LE(visits, 25u);
    EXPECT_GT(visits, 0u);
}

TEST(WarmStart, IsAFreshStartForAnotherPlayer) {
    using Game = HashGame<kit::Turn::alternating>;
    const core::Settings settings = carrying<Game>(core::CarryOver::warm_start);
    ForestTree<Game> tree(300);
    tree.search({3, 0}, settings, 200);
    EXPECT_EQ(tree.carry({99, 1}, settings, 100), CarryOutcome::reset);
    EXPECT_EQ(tree.header(0).visits, 0u);
    tree.search({3, 0}, settings, 200);
    EXPECT_EQ(tree.carry({99, 2}, settings, 100), CarryOutcome::warmed);
    EXPECT_GT(tree.header(0).visits, 0u);
}

TEST(WarmStart, ComesToTheSameWithManyLanes) {
    const core::Settings settings = carrying<Duel>(core::CarryOver::warm_start);
    ForestTree<Duel> alone(300), together(300);
    alone.search({}, settings, 250);
    together.search({}, settings, 250);
    ASSERT_EQ(alone.carry({77, 3}, settings, 100), CarryOutcome::warmed);
    std::vector<std::uint32_t> maps[2] = {std::vector<std::uint32_t>(300), std::vector<std::uint32_t>(300)};
    core::Settings with_nodes = settings;
    with_nodes.node_capacity = 300;
    LaneGroup<4> group;
    group.run([&](auto lanes) {
        core::carry_tree<Duel>(together.tree(), together.work(), Duel::State{77, 3}, kit::Gathered::ready, with_nodes,
                               100, core::CarryScratch{maps[0].data(), maps[1].data()}, lanes);
    });
    expect_subtree(Copy<Duel>(alone.tree(), 1), 0, Copy<Duel>(together.tree(), 1));
}

TEST(GuidedCarryOver, KeepsPriorsAndValues) {
    using Game = HashGame<kit::Turn::alternating>;
    core::Settings settings = carrying<Game>();
    GuidedTrees<Game> trees(1, 400);
    trees.search({{3, 0}}, settings, 200, hash_network);
    const core::GuidedTree<Game> tree = trees.tree(0);
    const std::uint32_t nodes = trees.work(0).nodes;
    const Copy<Game> before(tree, nodes);
    const std::vector<core::Prior> priors(tree.priors, tree.priors + std::size_t{nodes} * Game::kActions);
    const std::vector<std::int32_t> values(tree.network_values, tree.network_values + nodes);
    const std::uint32_t child = tree.node_children(0)[2];
    ASSERT_NE(child, kNoNode);
    std::vector<std::uint32_t> forward(nodes), source(nodes);
    settings.node_capacity = 400;
    const core::Carried carried =
        core::carry_tree<Game>(tree, trees.work(0), before.states[child], kit::Gathered::ready, settings, 100,
                               core::CarryScratch{forward.data(), source.data()}, core::SerialLanes{});
    ASSERT_EQ(carried.outcome, CarryOutcome::carried);
    expect_subtree(before, child, Copy<Game>(tree, carried.work.nodes));
    EXPECT_FALSE(core::root_wants_network(carried.work)) << "it has spoken of this root before";
    std::uint32_t place = 0;
    for (const std::uint32_t node : subtree_of(before.tree(), child)) {
        for (int a = 0; a < Game::kActions; ++a)
            EXPECT_EQ(tree.node_priors(place)[a], priors[node * Game::kActions + static_cast<std::size_t>(a)]);
        EXPECT_EQ(tree.network_value(place), values[node]);
        ++place;
    }
}

}  // namespace
}  // namespace augur::test
