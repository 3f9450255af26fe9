// Measures what carrying trees over is worth in Connect Four: games of a player that does against one that does not,
// and thinking about one position over several frames.
//
// Usage: augur_carry_strength games [options] | augur_carry_strength frames [options] SET.txt
//   --games N                games, each opening played twice with sides changed [default 500 openings]
//   --first N, --second N    simulations a move of the one that carries over, and of the other [default 64 64]
//   --counted 1              what is carried counts as done: --first is what a move has in all [default 0]
//   --room N                 nodes of a carried tree beyond a frame's simulations [default: as many as there are
//   simulations]
//   --selection NAME         puct, uct [default puct]
//   --frames LIST            frames: so many frames of --first simulations each [default 1,2,4,8,16]
//   --seeds N                frames: searches per position [default 4]
// Prints CSV. games:
// first,second,counted,selection,games,won,drawn,lost,percent,low,high,first_done,carried,second_done where low and
// high are the 95 % Wilson interval of the score, and the last three are means of a move: simulations that the first
// did, visits that its trees brought along, simulations that the second did. frames:
// set,selection,simulations,frames,carried_mistakes,together_mistakes,searches: what frames after frames come to, and
// one frame with as many simulations. One thread, fixed seeds: the same numbers in every run and on every machine.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "rules/connect_four.h"
#include "support/forest_tree.h"
#include "support/solved_positions.h"
#include "support/split_mix.h"

namespace {

using namespace augur;
using rules::ConnectFour;
using test::ForestTree;

struct Options {
    bool games = true;
    int openings = 500;
    std::uint32_t first = 64, second = 64, room = 0;
    bool counted = false;
    core::Selection selection = core::Selection::puct;
    std::vector<std::uint32_t> frames = {1, 2, 4, 8, 16};
    std::uint64_t seeds = 4;
    std::string set;
};

bool parse(int count, char** arguments, Options& o) {
    if (count < 2) return false;
    o.games = std::string(arguments[1]) == "games";
    for (int i = 2; i < count; ++i) {
        const std::string name = arguments[i];
        if (name.rfind("--", 0) != 0) {
            o.set = name;
            continue;
        }
        if (++i == count) return false;
        const std::string value = arguments[i];
        const auto number = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
        if (name == "--games") {
            o.openings = static_cast<int>(number);
        } else if (name == "--first") {
            o.first = number;
        } else if (name == "--second") {
            o.second = number;
        } else if (name == "--counted") {
            o.counted = number != 0;
        } else if (name == "--room") {
            o.room = number;
        } else if (name == "--selection") {
            o.selection = value == "uct" ? core::Selection::uct : core::Selection::puct;
        } else if (name == "--seeds") {
            o.seeds = number;
        } else if (name == "--frames") {
            o.frames.clear();
            for (const char* at = value.c_str(); *at != '\0';) {
                char* end = nullptr;
                o.frames.push_back(static_cast<std::uint32_t>(std::strtoul(at, &end, 10)));
                at = *end == ',' ? end + 1 : end;
            }
        } else {
            return false;
        }
    }
    return o.openings > 0 && o.first > 0 && o.second > 0 && o.games == o.set.empty();
}

core::Settings settings_of(const Options& o, bool carries) {
    core::Settings settings = test::default_settings<ConnectFour>();
    settings.selection = o.selection;
    settings.exploration = o.selection == core::Selection::puct ? ConnectFour::kPuct : ConnectFour::kUct;
    settings.early_stop = 1;
    settings.carry_over = carries ? core::CarryOver::subtree : core::CarryOver::none;
    settings.count_carried = carries && o.counted ? 1 : 0;
    return settings;
}

struct Player {
    ForestTree<ConnectFour> tree;
    core::Settings settings;
    std::uint32_t simulations;
    std::uint64_t seed;
    bool begun = false;  // has a tree of this game
    std::uint64_t moves = 0, done = 0, carried = 0;

    int choose(const ConnectFour::State& state, std::uint32_t game, std::uint64_t ply) {
        const bool goes_on = settings.carry_over != core::CarryOver::none && begun;
        const core::Decision decision = goes_on ? tree.search_on(state, settings, simulations, ply, seed, game)
                                                : tree.search(state, settings, simulations, seed, game, ply);
        begun = true;
        ++moves;
        done += tree.work().simulations - tree.work().counted;
        carried += tree.work().carried;
        return decision.action;
    }
};

ConnectFour::State opening(std::uint64_t seed) {
    test::SplitMix64 random(seed);
    for (;;) {
        ConnectFour::State state = {0, 0};
        kit::Random none({0, 0}, 0, 0, kit::Purpose::host);
        bool over = false;
        for (int ply = random.below(9); ply > 0 && !over; --ply) {
            const auto legal = ConnectFour::legal(state, 0);
            over = ConnectFour::step(state, {{legal.nth(random.below(legal.count()))}}, none).terminal;
        }
        if (!over) return state;
    }
}

// 1 where the first player has won, 0.5 drawn, 0 lost.
double play(Player& mover, Player& other, ConnectFour::State state, std::uint32_t game) {
    kit::Random none({0, 0}, 0, 0, kit::Purpose::host);
    Player* players[2] = {&mover, &other};
    for (Player* player : players)
        player->begun = false;
    for (std::uint64_t ply = 0;; ++ply) {
        const int action = players[ply % 2]->choose(state, game, ply);
        const auto step = ConnectFour::step(state, {{action}}, none);
        if (!step.terminal) continue;
        if (step.reward[0] == 0) return 0.5;
        return ply % 2 == 0 ? 1.0 : 0.0;
    }
}

void run_games(const Options& o) {
    const std::uint32_t room = o.room != 0 ? o.room : o.first;
    Player first = {ForestTree<ConnectFour>(o.first + room + 1), settings_of(o, true), o.first, 1};
    Player second = {ForestTree<ConnectFour>(o.second + 1), settings_of(o, false), o.second, 2};
    double score = 0;
    int won = 0, drawn = 0, lost = 0;
    for (int game = 0; game < o.openings; ++game) {
        const ConnectFour::State start = opening(static_cast<std::uint64_t>(game) + 1);
        for (int side = 0; side < 2; ++side) {
            const auto number = static_cast<std::uint32_t>(2 * game + side);
            const double mine =
                side == 0 ? play(first, second, start, number) : 1.0 - play(second, first, start, number);
            score += mine;
            (mine > 0.5 ? won : mine < 0.5 ? lost : drawn) += 1;
        }
    }
    const double n = 2.0 * o.openings, p = score / n, z = 1.959964;
    const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    const auto moves = static_cast<double>(first.moves);
    std::printf("%u,%u,%d,%s,%d,%d,%d,%d,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f\n", o.first, o.second, o.counted ? 1 : 0,
                o.selection == core::Selection::uct ? "uct" : "puct", 2 * o.openings, won, drawn, lost, 100 * p,
                100 * (centre - half), 100 * (centre + half), static_cast<double>(first.done) / moves,
                static_cast<double>(first.carried) / moves,
                static_cast<double>(second.done) / static_cast<double>(second.moves));
}

bool run_frames(const Options& o) {
    std::string error;
    const std::vector<test::SolvedPosition> positions = test::read_solved_positions(o.set, error);
    if (!error.empty()) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return false;
    }
    const core::Settings settings = settings_of(o, true);
    for (const std::uint32_t frames : o.frames) {
        const std::uint64_t searches = o.seeds * positions.size();
        std::uint64_t carried = 0, together = 0;
        ForestTree<ConnectFour> tree(o.first * 2 + 1), whole(o.first * frames + 1);
        for (std::uint64_t seed = 1; seed <= o.seeds; ++seed) {
            for (std::size_t i = 0; i < positions.size(); ++i) {
                const test::SolvedPosition& position = positions[i];
                const ConnectFour::State state = {position.board.mine(), position.board.mine() ^ position.board.all()};
                const auto agent = static_cast<std::uint32_t>(i);
                core::Decision decision = tree.search(state, settings, o.first, seed, agent, 0);
                for (std::uint32_t frame = 1; frame < frames; ++frame)
                    decision = tree.search_on(state, settings, o.first, frame, seed, agent);
                carried += position.is_mistake(decision.action) ? 1 : 0;
                decision = whole.search(state, settings, o.first * frames, seed, agent, 0);
                together += position.is_mistake(decision.action) ? 1 : 0;
            }
        }
        std::printf("%s,%s,%u,%u,%llu,%llu,%llu\n", o.set.c_str(), o.selection == core::Selection::uct ? "uct" : "puct",
                    o.first, frames, static_cast<unsigned long long>(carried),
                    static_cast<unsigned long long>(together), static_cast<unsigned long long>(searches));
        std::fflush(stdout);
    }
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    Options options;
    if (!parse(count, arguments, options)) {
        std::fprintf(stderr, "augur_carry_strength: an option is unknown or has no value; see the top of its source\n");
        return 2;
    }
    if (options.games) {
        run_games(options);
        return 0;
    }
    return run_frames(options) ? 0 : 1;
}
