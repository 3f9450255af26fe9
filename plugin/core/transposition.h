// Positions reached in several ways share one node: an open-addressing hash table from (state, depth) to node, without
// locks.
#ifndef AUGUR_CORE_TRANSPOSITION_H
#define AUGUR_CORE_TRANSPOSITION_H

#include "core/tree.h"
#include "core/updates.h"

namespace augur::core {

// keys 0 is an empty slot. Never fuller than half, so probes are short.
struct TranspositionTable {
    std::uint64_t* keys;   // [slots]
    std::uint32_t* nodes;  // [slots] lowest node that claimed the key; kNoNode when empty
    std::uint32_t slots;   // a power of two, at least twice the nodes; 0: no table
};

constexpr std::uint32_t transposition_slots(std::uint32_t node_capacity) {
    std::uint32_t slots = 64;
    while (slots < node_capacity * 2)
        slots *= 2;
    return slots;
}

// Empties slots, of one table or of several that lie side by side: those that are thread `thread`'s of `threads`.
AUGUR_HD_INLINE void clear_slots(std::uint64_t* keys, std::uint32_t* nodes, std::size_t slots, std::size_t thread = 0,
                                 std::size_t threads = 1) {
    for (std::size_t i = thread; i < slots; i += threads) {
        keys[i] = 0;
        nodes[i] = kNoNode;
    }
}

// Depth is part of the key: what is left of the horizon belongs to the position, and paths cannot form cycles.
template <class R>
AUGUR_HD_INLINE std::uint64_t transposition_key(const typename R::State& state, std::uint32_t depth) {
    const std::uint64_t key = kit::combine64(R::hash(state), depth);
    return key == 0 ? 1 : key;
}

// Claims the key for `node`; the lowest claimant will own it. Returns the slot. Two different positions with the same
// 64-bit key would share a node: at 4 million nodes the chance of that is below 1e-6.
template <class Updates>
AUGUR_HD_INLINE std::uint32_t transposition_claim(const TranspositionTable& table, std::uint64_t key,
                                                  std::uint32_t node, const Updates& updates) {
    std::uint32_t slot = static_cast<std::uint32_t>(key) & (table.slots - 1);
    for (;;) {
        const std::uint64_t before = updates.exchange_if(&table.keys[slot], 0, key);
        if (before == 0 || before == key) {
            updates.lower_to(&table.nodes[slot], node);
            return slot;
        }
        slot = (slot + 1) & (table.slots - 1);
    }
}

}  // namespace augur::core

#endif  // AUGUR_CORE_TRANSPOSITION_H
