// Connect Four, exact: seven columns, six rows, four in a line wins.
// Bitboards with seven bits a column (six cells and an empty one on top), so shifts by 1, 6, 7 and 8 walk the four
// directions. Layout and win test after Tromp, "Connect-4" (fhourstones), described in Pons, "Solving Connect 4"
// (2016).
#ifndef AUGUR_RULES_CONNECT_FOUR_H
#define AUGUR_RULES_CONNECT_FOUR_H

#include <augur/kit/rules.h>

namespace augur::rules {

struct ConnectFour {
    static constexpr const char* kName = "connect_four";
    static constexpr int kActions = 7;
    static constexpr int kPlayers = 2;
    static constexpr kit::Turn kTurn = kit::Turn::alternating;
    static constexpr bool kChance = false;
    static constexpr bool kProvable = true;
    static constexpr int kMaxDepth = 42;
    static constexpr int kHorizon = 42;
    static constexpr std::int32_t kDiscount = kit::kOne;
    static constexpr float kPuct = 2.5f;
    static constexpr float kUct = 1.2f;
    static constexpr int kNeighbours = 0;
    static constexpr kit::FieldInfo kFields[] = {
        {"own", "Stones of the player to move; bit 7 * column + row, row 0 at the bottom.", kit::FieldKind::bits64},
        {"other", "Stones of the opponent, in the same layout.", kit::FieldKind::bits64},
    };
    static constexpr const char* kActionNames[kActions] = {"column 1", "column 2", "column 3", "column 4",
                                                           "column 5", "column 6", "column 7"};

    static constexpr int kColumns = 7, kRows = 6;
    static constexpr std::uint64_t kBottom = 0x40810204081ull;     // row 0 of every column
    static constexpr std::uint64_t kBoard = kBottom * 0x3f;        // all 42 cells
    static constexpr std::uint64_t kTop = kBottom << (kRows - 1);  // row 5 of every column

    // 16 bytes.
    struct State {
        std::uint64_t own;    // of the player to move
        std::uint64_t other;  // of the player who moved last
    };

    AUGUR_HD_INLINE static bool has_four(std::uint64_t stones) {
        std::uint64_t pairs = stones & (stones >> 1);  // vertical
        std::uint64_t lines = pairs & (pairs >> 2);
        pairs = stones & (stones >> 7);  // horizontal
        lines |= pairs & (pairs >> 14);
        pairs = stones & (stones >> 6);  // diagonal, falling
        lines |= pairs & (pairs >> 12);
        pairs = stones & (stones >> 8);  // diagonal, rising
        lines |= pairs & (pairs >> 16);
        return lines != 0;
    }

    // One bit per column whose top cell is free. The multiplication gathers bits 7c into bits 42 + c: each pair of
    // column and factor lands on its own bit, so nothing carries.
    AUGUR_HD_INLINE static kit::ActionMask<kActions> legal(const State& s, int) {
        const std::uint64_t open = (~(s.own | s.other) & kTop) >> (kRows - 1);
        constexpr std::uint64_t kGather =
            1ull << 42 | 1ull << 36 | 1ull << 30 | 1ull << 24 | 1ull << 18 | 1ull << 12 | 1ull << 6;
        return kit::ActionMask<kActions>::from_bits(static_cast<std::uint32_t>((open * kGather) >> 42));
    }

    // The player is told by the number of stones: even, the first player.
    AUGUR_HD_INLINE static int to_act(const State& s) { return kit::popcount(s.own | s.other) & 1; }

    AUGUR_HD_INLINE static bool terminal(const State& s) {
        return has_four(s.other) || has_four(s.own) || (s.own | s.other) == kBoard;
    }

    AUGUR_HD_INLINE static kit::Step<1> step(State& s, const kit::JointAction<1>& a, kit::Random&) {
        const std::uint64_t all = s.own | s.other;
        const std::uint64_t column = 0x3full << (a.action[0] * kColumns);
        const std::uint64_t mover = s.own | ((all + (1ull << (a.action[0] * kColumns))) & column & ~all);
        s.own = s.other;
        s.other = mover;
        const bool won = has_four(mover);
        return {{won ? kit::kOne : 0}, won || (s.own | mover) == kBoard};
    }

    // Uniform over the open columns: the digits of one random word in base 7 are columns to try; after four full ones
    // the open ones are counted. One word a ply, so that simulations side by side draw at the same time.
    AUGUR_HD_INLINE static int rollout_action(const State& s, int, kit::Random& random) {
        const std::uint64_t open = ~(s.own | s.other) >> (kRows - 1);
        std::uint32_t fraction = random.bits32();
        AUGUR_UNROLL
        for (int digit = 0; digit < 4; ++digit) {
            const std::uint32_t column = kit::multiply_high(fraction, kColumns);
            if ((open >> (column * kColumns)) & 1) return static_cast<int>(column);
            fraction *= kColumns;
        }
        const kit::ActionMask<kActions> columns = legal(s, 0);
        return columns.nth(static_cast<int>(kit::multiply_high(fraction, static_cast<std::uint32_t>(columns.count()))));
    }

    // One feature a cell, row after row from the bottom: +1 a stone of the player to move, -1 of the other, 0 none.
    static constexpr int kFeatures = kColumns * kRows;
    static constexpr float kGuidedPuct = 1.5f;  // docs/benchmarks/model_strength.md
    AUGUR_HD_INLINE static float feature(const State& s, int index) {
        const int bit = index % kColumns * kColumns + index / kColumns;
        return static_cast<float>(static_cast<int>((s.own >> bit) & 1) - static_cast<int>((s.other >> bit) & 1));
    }

    AUGUR_HD_INLINE static std::uint64_t hash(const State& s) { return kit::combine64(kit::mix64(s.own + 1), s.other); }

    AUGUR_HD static kit::Gathered gather(State& s, const kit::Fields& fields, std::uint32_t agent, const std::uint32_t*,
                                         int) {
        s.own = fields.get64(0, agent);
        s.other = fields.get64(2, agent);
        const std::uint64_t all = s.own | s.other;
        const bool outside = (all & ~kBoard) != 0;
        const bool shared = (s.own & s.other) != 0;
        // Adding the bottom row to a column of stones without gaps leaves exactly one bit in it.
        const bool floating = (all & (all + kBottom)) != 0;
        const int ahead = kit::popcount(s.other) - kit::popcount(s.own);
        return outside || shared || floating || ahead < 0 || ahead > 1 ? kit::Gathered::bad_state
                                                                       : kit::Gathered::ready;
    }
};

static_assert(kit::Rules<ConnectFour>);

}  // namespace augur::rules

#endif  // AUGUR_RULES_CONNECT_FOUR_H
