#include "support/connect_four_solver.h"

#include <algorithm>
#include <bit>

namespace augur::test {
namespace {

constexpr int kStride = SolverBoard::kRows + 1;
constexpr int kMaxScore = SolverBoard::kCells / 2;

constexpr std::uint64_t column_bottom(int column) {
    return std::uint64_t{1} << (column * kStride);
}

constexpr std::uint64_t column_mask(int column) {
    return ((std::uint64_t{1} << SolverBoard::kRows) - 1) << (column * kStride);
}

constexpr std::uint64_t bottom_row() {
    std::uint64_t cells = 0;
    for (int column = 0; column < SolverBoard::kColumns; ++column)
        cells |= column_bottom(column);
    return cells;
}

constexpr std::uint64_t kBottomRow = bottom_row();
constexpr std::uint64_t kBoard = kBottomRow * ((std::uint64_t{1} << SolverBoard::kRows) - 1);

// Columns from the middle outwards: central stones take part in more lines, so they are tried first.
constexpr int kColumnOrder[SolverBoard::kColumns] = {3, 2, 4, 1, 5, 0, 6};

// Cells that complete four in a row together with three of `stones`, wherever the gap is.
std::uint64_t completing_cells(std::uint64_t stones) {
    std::uint64_t result = 0;
    for (const int step : {1, kStride - 1, kStride, kStride + 1}) {
        const std::uint64_t below1 = stones << step;
        const std::uint64_t below2 = stones << (2 * step);
        const std::uint64_t below3 = stones << (3 * step);
        const std::uint64_t above1 = stones >> step;
        const std::uint64_t above2 = stones >> (2 * step);
        const std::uint64_t above3 = stones >> (3 * step);
        result |= below1 & below2 & (below3 | above1);
        result |= above1 & above2 & (above3 | below1);
    }
    return result & kBoard;
}

bool four_in_a_row(std::uint64_t stones) {
    for (const int step : {1, kStride - 1, kStride, kStride + 1}) {
        const std::uint64_t pairs = stones & (stones >> step);
        if ((pairs & (pairs >> (2 * step))) != 0) return true;
    }
    return false;
}

// Score of a win whose last stone is the `stones`-th on the board.
int win_score(int stones) {
    return kMaxScore + 1 - (stones + 1) / 2;
}

}  // namespace

bool SolverBoard::play_text(const std::string& columns) {
    for (const char letter : columns) {
        const int column = letter - '1';
        if (column < 0 || column >= kColumns || is_over() || !can_play(column)) return false;
        play(column);
    }
    return true;
}

SolverBoard SolverBoard::from_stones(std::uint64_t mine, std::uint64_t theirs) {
    SolverBoard board;
    board.mine_ = mine;
    board.all_ = mine | theirs;
    board.stones_ = std::popcount(board.all_);
    return board;
}

bool SolverBoard::can_play(int column) const {
    return (playable_cells() & column_mask(column)) != 0;
}

void SolverBoard::play(int column) {
    play_cell(playable_cells() & column_mask(column));
}

void SolverBoard::play_cell(std::uint64_t cell) {
    mine_ ^= all_;  // the opponent's stones: he is to move next
    all_ |= cell;
    ++stones_;
}

bool SolverBoard::is_winning_move(int column) const {
    return (my_winning_cells() & playable_cells() & column_mask(column)) != 0;
}

bool SolverBoard::has_winner() const {
    return four_in_a_row(mine_ ^ all_);
}

bool SolverBoard::is_over() const {
    return stones_ == kCells || has_winner();
}

std::uint64_t SolverBoard::playable_cells() const {
    return (all_ + kBottomRow) & kBoard;
}

std::uint64_t SolverBoard::my_winning_cells() const {
    return completing_cells(mine_) & ~all_;
}

std::uint64_t SolverBoard::opponent_winning_cells() const {
    return completing_cells(mine_ ^ all_) & ~all_;
}

char outcome_letter(Outcome outcome) {
    switch (outcome) {
        case Outcome::kWin:
            return '+';
        case Outcome::kDraw:
            return '0';
        case Outcome::kLoss:
            return '-';
        case Outcome::kIllegal:
            break;
    }
    return 'x';
}

ConnectFourSolver::ConnectFourSolver(int table_bits)
    : table_(std::size_t{1} << table_bits), table_mask_((std::uint64_t{1} << table_bits) - 1) {}

// An entry is key * 2^12 + lower * 2^6 + upper, both bounds moved up by 32; the key is below 2^49. Zero is no entry, as
// no stored bound is -32.
ConnectFourSolver::Bounds ConnectFourSolver::load(std::uint64_t key) const {
    const std::uint64_t entry = table_[(key * 0x9E3779B97F4A7C15ULL >> 20) & table_mask_];
    if (entry == 0 || entry >> 12 != key) return {-kMaxScore, kMaxScore};
    return {static_cast<int>(entry >> 6 & 63) - 32, static_cast<int>(entry & 63) - 32};
}

void ConnectFourSolver::store(std::uint64_t key, Bounds bounds) {
    table_[(key * 0x9E3779B97F4A7C15ULL >> 20) & table_mask_] =
        key << 12 | static_cast<std::uint64_t>(bounds.lower + 32) << 6 | static_cast<std::uint64_t>(bounds.upper + 32);
}

// The player to move must not be able to win at once, and the game must not be over.
int ConnectFourSolver::negamax(const SolverBoard& board, int alpha, int beta) {
    ++visited_;
    const std::uint64_t playable = board.playable_cells();
    const std::uint64_t opponent_wins = board.opponent_winning_cells();
    const std::uint64_t forced = playable & opponent_wins;

    std::uint64_t candidates = playable;
    const bool two_threats = (forced & (forced - 1)) != 0;
    if (forced != 0) candidates = forced;
    candidates &= ~(opponent_wins >> 1);  // never play right below a cell where the opponent wins
    if (two_threats || candidates == 0) return -win_score(board.stones() + 2);
    if (board.stones() >= SolverBoard::kCells - 2) return 0;  // two cells left, and neither player wins with one

    // The earliest that anyone can still win: the opponent with his stone after next, or I with my next one.
    const int worst = -win_score(board.stones() + 4);
    const int best_possible = win_score(board.stones() + 3);
    Bounds bounds = load(board.key());
    bounds.lower = std::max(bounds.lower, worst);
    bounds.upper = std::min(bounds.upper, best_possible);
    alpha = std::max(alpha, bounds.lower);
    beta = std::min(beta, bounds.upper);
    if (alpha >= beta) return alpha >= bounds.upper ? bounds.upper : alpha;

    // Insertion sort, the move that creates most winning cells first, the middle first among equals.
    std::array<std::uint64_t, SolverBoard::kColumns> cells{};
    std::array<int, SolverBoard::kColumns> threats{};
    int count = 0;
    for (const int column : kColumnOrder) {
        const std::uint64_t cell = candidates & column_mask(column);
        if (cell == 0) continue;
        const std::uint64_t wins = completing_cells(board.mine() | cell) & ~board.all() & ~cell;
        const int value = std::popcount(wins);
        int at = count++;
        for (; at > 0 && threats[static_cast<std::size_t>(at - 1)] < value; --at) {
            cells[static_cast<std::size_t>(at)] = cells[static_cast<std::size_t>(at - 1)];
            threats[static_cast<std::size_t>(at)] = threats[static_cast<std::size_t>(at - 1)];
        }
        cells[static_cast<std::size_t>(at)] = cell;
        threats[static_cast<std::size_t>(at)] = value;
    }

    int best = -kMaxScore;
    int window_alpha = alpha;
    for (int i = 0; i < count && window_alpha < beta; ++i) {
        SolverBoard next = board;
        next.play_cell(cells[static_cast<std::size_t>(i)]);
        // A candidate leaves the opponent no winning cell at once, so the precondition holds for him.
        best = std::max(best, -negamax(next, -beta, -window_alpha));
        window_alpha = std::max(window_alpha, best);
    }
    if (best <= alpha) {
        bounds.upper = best;
    } else if (best >= beta) {
        bounds.lower = best;
    } else {
        bounds = {best, best};
    }
    store(board.key(), bounds);
    return best;
}

int ConnectFourSolver::bounded(const SolverBoard& board, int alpha, int beta) {
    if ((board.my_winning_cells() & board.playable_cells()) != 0) return win_score(board.stones() + 1);
    return negamax(board, alpha, beta);
}

int ConnectFourSolver::score(const SolverBoard& board) {
    int low = -win_score(board.stones() + 2);
    int high = win_score(board.stones() + 1);
    if ((board.my_winning_cells() & board.playable_cells()) != 0) return high;
    // Null windows near 0 first: they decide who wins, and most of the work is shared through the table.
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (middle <= 0 && low / 2 < middle) {
            middle = low / 2;
        } else if (middle >= 0 && high / 2 > middle) {
            middle = high / 2;
        }
        const int value = negamax(board, middle, middle + 1);
        if (value <= middle) {
            high = value;
        } else {
            low = value;
        }
    }
    return low;
}

Outcome ConnectFourSolver::outcome(const SolverBoard& board) {
    const int value = bounded(board, -1, 1);
    return value > 0 ? Outcome::kWin : value < 0 ? Outcome::kLoss : Outcome::kDraw;
}

std::array<Outcome, SolverBoard::kColumns> ConnectFourSolver::move_outcomes(const SolverBoard& board) {
    std::array<Outcome, SolverBoard::kColumns> result{};
    for (int column = 0; column < SolverBoard::kColumns; ++column) {
        Outcome& entry = result[static_cast<std::size_t>(column)];
        if (!board.can_play(column)) {
            entry = Outcome::kIllegal;
            continue;
        }
        SolverBoard next = board;
        next.play(column);
        if (next.has_winner()) {
            entry = Outcome::kWin;
        } else if (next.is_over()) {
            entry = Outcome::kDraw;
        } else {
            const Outcome reply = outcome(next);
            entry = reply == Outcome::kWin ? Outcome::kLoss : reply == Outcome::kLoss ? Outcome::kWin : Outcome::kDraw;
        }
    }
    return result;
}

}  // namespace augur::test
