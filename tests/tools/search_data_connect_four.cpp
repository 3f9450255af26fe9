// Search data of Connect Four: games against oneself from random openings.

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <vector>

#include "rules/connect_four.h"
#include "support/split_mix.h"
#include "tools/forest_host.h"
#include "tools/search_data.h"

namespace augur::test {
namespace {

using R = rules::ConnectFour;
using Record = SearchRecord<R>;

constexpr int kLongestOpening = 30;  // plies of random play, 0 .. this

struct Decision {
    Record record;
    int player;
    bool proven;
};

struct Game {
    R::State board;
    std::vector<Decision> decisions;
};

// Plays and says whether the game is over.
bool play(R::State& board, int column) {
    kit::Random none({0, 0}, 0, 0, kit::Purpose::host);
    return R::step(board, {{column}}, none).terminal;
}

R::State opening(SplitMix64& random) {
    for (;;) {
        R::State board{0, 0};
        bool over = false;
        for (int ply = random.below(kLongestOpening + 1); ply > 0 && !over; --ply) {
            const auto columns = R::legal(board, 0);
            over = play(board, columns.nth(random.below(columns.count())));
        }
        if (!over) return board;
    }
}

// The root's visits as a policy to learn. Proven to win or to draw: all for the action that does. Otherwise those of
// actions that are proven to lose are left out, unless all are.
void write_visits(Record& record, sdk::Planner& planner, std::uint32_t agent, const augur_agent_result& result) {
    if ((result.flags & AUGUR_AGENT_PROVEN) != 0 && result.value >= 0) {
        record.visits[static_cast<std::size_t>(result.action)] = result.visits;
        return;
    }
    std::uint32_t hopeful = 0;
    const auto nodes = sdk::unwrap(planner.tree(agent));
    for (const augur_tree_node& node : nodes) {
        if (node.parent != 0 || (node.flags & AUGUR_TREE_PROVEN_WIN) != 0) continue;
        record.visits[static_cast<std::size_t>(node.action)] = node.visits;
        hopeful += node.visits;
    }
    if (hopeful == 0) sdk::unwrap(planner.root(agent, record.visits, {}));
}

// Drawn in proportion to the square of the visits, so that games differ but are played well.
int drawn_column(const Record& record, SplitMix64& random) {
    std::uint64_t sum = 0;
    for (const std::uint64_t visits : record.visits)
        sum += visits * visits;
    std::uint64_t left = random.next() % sum;
    for (std::size_t column = 0; column < record.visits.size(); ++column) {
        const std::uint64_t share = std::uint64_t{record.visits[column]} * record.visits[column];
        if (left < share) return static_cast<int>(column);
        left -= share;
    }
    throw std::logic_error("a draw is below the sum of the shares");
}

// winner: the player, or nobody in a draw.
void finish(Game& game, std::optional<int> winner, float result_share, SearchDataFile<R>& file) {
    for (Decision& decision : game.decisions) {
        const float result = !winner ? 0.0f : *winner == decision.player ? 1.0f : -1.0f;
        if (!decision.proven) decision.record.value += result_share * (result - decision.record.value);
        file.write(decision.record);
    }
    game.decisions.clear();
}

}  // namespace

void write_connect_four_data(const SearchDataOptions& options) {
    SplitMix64 random(options.seed);
    SearchDataFile<R> file(options);
    ForestHost<R::State> planner(options.game.c_str(), data_desc(options), options.at_once);
    planner.bind<std::uint64_t>("own", offsetof(R::State, own));
    planner.bind<std::uint64_t>("other", offsetof(R::State, other));
    std::vector<Game> games(options.at_once);
    for (Game& game : games)
        game.board = opening(random);

    while (!file.full()) {
        for (std::size_t i = 0; i < games.size(); ++i)
            planner.agents[i] = games[i].board;
        const std::vector<augur_agent_result>& results = planner.plan();
        for (std::uint32_t i = 0; i < games.size(); ++i) {
            Game& game = games[i];
            const int player = R::to_act(game.board);
            const bool proven = (results[i].flags & AUGUR_AGENT_PROVEN) != 0;
            int column = results[i].action;
            if ((results[i].flags & AUGUR_AGENT_ONLY_ACTION) == 0) {
                Decision decision{record_of<R>(game.board), player, proven};
                decision.record.value = results[i].value;
                write_visits(decision.record, planner.planner(), i, results[i]);
                if (!proven) column = drawn_column(decision.record, random);
                game.decisions.push_back(decision);
            }
            if (!play(game.board, column)) continue;
            const bool won = R::has_four(game.board.other);
            finish(game, won ? std::optional<int>(player) : std::nullopt, options.result_share, file);
            game.board = opening(random);
        }
    }
    file.close();
}

}  // namespace augur::test
