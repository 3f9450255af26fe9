#include "scenes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace augur::bench {
namespace {

constexpr int kColumns = 7;
constexpr int kRows = 6;
constexpr int kMostMoves = 20;

constexpr float kUnitsPerArea = 0.25f;
constexpr float kFieldAspect = 1.7f;
constexpr float kSmallestHeight = 24.0f;
constexpr std::size_t kClashUnits = 80;  // two companies of 40
constexpr float kClashRadius = 9.0f;
constexpr std::int32_t kFullHealth[3] = {60, 36, 40};
constexpr std::int32_t kReload[3] = {0, 3, 3};
constexpr std::int32_t kAbilityPeriod = 12;

// mt19937_64 gives the same bits everywhere; the library's distributions do not, so numbers are made from bits here.
class Luck {
  public:
    explicit Luck(std::uint64_t seed) : bits_(seed) {}
    // 0 .. bound - 1.
    int below(int bound) { return static_cast<int>(bits_() % static_cast<std::uint64_t>(bound)); }
    // 0 .. 1.
    float share() { return static_cast<float>(bits_() >> 40) * 0x1p-24f; }
    // -1 .. 1, most of them near 0.
    float spread() { return share() + share() - 1.0f; }

  private:
    std::mt19937_64 bits_;
};

constexpr std::uint64_t cell(int column, int row) {
    return 1ull << (7 * column + row);
}

bool inside(int column, int row) {
    return column >= 0 && column < kColumns && row >= 0 && row < kRows;
}

// Plays `moves` random moves from the empty board; false where somebody won on the way.
bool play(Board& board, int moves, Luck& luck) {
    board = Board{};
    std::array<int, kColumns> height{};
    for (int move = 0; move < moves; ++move) {
        int column = luck.below(kColumns);
        while (height[static_cast<std::size_t>(column)] == kRows)
            column = luck.below(kColumns);
        const std::uint64_t stones = board.own | cell(column, height[static_cast<std::size_t>(column)]++);
        if (four_in_a_row(stones)) return false;
        board = {board.other, stones};
    }
    return true;
}

}  // namespace

bool four_in_a_row(std::uint64_t stones) {
    constexpr int kDirections[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    for (int column = 0; column < kColumns; ++column) {
        for (int row = 0; row < kRows; ++row) {
            for (const auto& step : kDirections) {
                int length = 0;
                while (length < 4 && inside(column + length * step[0], row + length * step[1]) &&
                       (stones & cell(column + length * step[0], row + length * step[1])) != 0)
                    ++length;
                if (length == 4) return true;
            }
        }
    }
    return false;
}

void play_on(Board& board, std::int32_t column, std::uint32_t turn) {
    const auto drop = [&board](int into) {
        std::uint64_t stone = 0;
        for (int row = 0; row < kRows && stone == 0; ++row)
            if (((board.own | board.other) & cell(into, row)) == 0) stone = cell(into, row);
        if (stone == 0) return false;
        board = {board.other, board.own | stone};
        return !four_in_a_row(board.other);
    };
    bool goes_on = column >= 0 && column < kColumns && drop(column);
    for (int tried = 0; tried < kColumns && goes_on; ++tried) {
        const int answer = (static_cast<int>(turn % kColumns) + tried) % kColumns;
        if (((board.own | board.other) & cell(answer, kRows - 1)) != 0) continue;
        if (drop(answer)) return;
        break;
    }
    board = {};
}

std::vector<Board> random_boards(std::size_t count, std::uint64_t seed) {
    Luck luck(seed);
    std::vector<Board> boards(count);
    for (Board& board : boards) {
        const int moves = luck.below(kMostMoves + 1);
        while (!play(board, moves, luck)) {
        }
    }
    return boards;
}

std::vector<Unit> random_battle(std::size_t count, std::uint64_t seed) {
    Luck luck(seed);
    const float area = static_cast<float>(count) / kUnitsPerArea;
    const float height = std::max(std::sqrt(area / kFieldAspect), kSmallestHeight);
    const float width = height * kFieldAspect;
    // Clashes stand on a loose lattice that fills the field, so the density is the same all over it.
    const std::size_t clashes = (count + kClashUnits - 1) / kClashUnits;
    const auto along = static_cast<std::size_t>(
        std::max(1.0f, std::ceil(std::sqrt(static_cast<float>(std::max<std::size_t>(clashes, 1)) * kFieldAspect))));
    const std::size_t lines = (std::max<std::size_t>(clashes, 1) + along - 1) / along;

    std::vector<Unit> units(count);
    for (std::size_t i = 0; i < count; ++i) {
        Unit& unit = units[i];
        const std::size_t clash = i / kClashUnits;
        unit.team = static_cast<std::int32_t>(i & 1);
        const int draw = luck.below(16);
        unit.kind = draw < 8 ? 0 : draw < 13 ? 1 : 2;
        const float ahead = unit.team == 0 ? 1.0f : -1.0f;
        // Melee in front, ranged behind them, healers last.
        const float rank = unit.kind == 0 ? -0.5f : unit.kind == 1 ? -4.0f : -6.0f;
        const float middle_x = width * (static_cast<float>(clash % along) + 0.5f) / static_cast<float>(along);
        const float middle_y = height * (static_cast<float>(clash / along) + 0.5f) / static_cast<float>(lines);
        unit.position[0] = std::clamp(middle_x + ahead * rank + 2.5f * luck.spread(), 0.0f, width);
        unit.position[1] = std::clamp(middle_y + kClashRadius * luck.spread(), 0.0f, height);
        unit.objective[0] = std::clamp(middle_x + ahead * 6.0f, 0.0f, width);
        unit.objective[1] = unit.position[1];
        const std::int32_t full = kFullHealth[unit.kind];
        unit.health = luck.below(3) == 0 ? full / 3 + luck.below(full - full / 3) : full;
        unit.cooldown = luck.below(kReload[unit.kind] + 1);
        unit.ability = luck.below(2) == 0 ? 0 : luck.below(kAbilityPeriod + 1);
    }
    // A game's array has no order in space: neighbours are found, not lying side by side.
    for (std::size_t i = count; i > 1; --i)
        std::swap(units[i - 1], units[static_cast<std::size_t>(luck.below(static_cast<int>(i)))]);
    return units;
}

std::vector<Pole> random_poles(std::size_t count, std::uint64_t seed) {
    Luck luck(seed);
    std::vector<Pole> poles(count);
    for (Pole& pole : poles)
        for (int n = 0; n < 4; ++n)
            pole.seen[n] = 0.4f * luck.spread();
    return poles;
}

}  // namespace augur::bench
