// What the benchmarks plan: fields of agents as a game would hold them, made from a seed by plain code of this folder,
// so that nothing of the library under test decides what it is measured on.
#ifndef AUGUR_TESTS_BENCH_SCENES_H
#define AUGUR_TESTS_BENCH_SCENES_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace augur::bench {

// A Connect Four board as the library's "connect_four" binds it: bit 7 * column + row, row 0 at the bottom.
struct Board {
    std::uint64_t own = 0;    // of the player to move
    std::uint64_t other = 0;  // of the opponent
};

// True where four stones of one player stand in a row. Looks at every line of four cells, one by one.
bool four_in_a_row(std::uint64_t stones);

// Positions after 0 .. 20 random moves, none of them won or full; always the same for the same seed.
std::vector<Board> random_boards(std::size_t count, std::uint64_t seed);

// Plays a column, then the opponent's, which is the next one from `turn` on that is not full. A game that is over, or
// in which the column cannot be played, begins again.
void play_on(Board& board, std::int32_t column, std::uint32_t turn);

// A unit as the library's "skirmish" binds it.
struct Unit {
    float position[2] = {};
    float objective[2] = {};
    std::int32_t health = 0;
    std::int32_t kind = 0;  // 0 melee, 1 ranged, 2 healer
    std::int32_t team = 0;
    std::int32_t cooldown = 0;
    std::int32_t ability = 0;
};

// A battle under way: companies of both teams in contact all over a field, a quarter of a unit to a unit of area, half
// of the units melee, some wounded, some reloading.
std::vector<Unit> random_battle(std::size_t count, std::uint64_t seed);

// A pole on a cart as the learned rules of assets/models see it: place, speed, lean and angular speed in parts of what
// they can be, and 0 while it stands.
struct Pole {
    float seen[5] = {};
};

// Poles that lean a little, on carts not far from the middle.
std::vector<Pole> random_poles(std::size_t count, std::uint64_t seed);

}  // namespace augur::bench

#endif
