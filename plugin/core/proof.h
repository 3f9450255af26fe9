// Proven results: once the game's end is seen, it is not searched again. Winands, Bjoernsson and Saito 2008,
// "Monte-Carlo tree search solver", with draws. Only for games with kProvable: two players, reward only at the end,
// there -1, 0 or +1.
#ifndef AUGUR_CORE_PROOF_H
#define AUGUR_CORE_PROOF_H

#include "core/tree.h"

namespace augur::core {

AUGUR_HD_INLINE Proof opposite(Proof p) {
    return p == Proof::win ? Proof::loss : (p == Proof::loss ? Proof::win : p);
}

AUGUR_HD_INLINE std::int32_t proven_value(Proof p) {
    return p == Proof::win ? kit::kOne : (p == Proof::loss ? -kit::kOne : 0);
}

// What reaching `child` means for `mover`, the player who acted at its parent; open when it is not known.
template <class R>
AUGUR_HD_INLINE Proof outcome_for_mover(const NodeHeader<R>& child, int mover) {
    if (child.terminal) {
        const std::int32_t reward = child.reward[0];
        return reward > 0 ? Proof::win : (reward < 0 ? Proof::loss : Proof::draw);
    }
    return child.player == mover ? child.proof : opposite(child.proof);
}

// Notes at `node` that `action` leads to `outcome` for the player to act there. True when that decides the node.
template <class R>
AUGUR_HD_INLINE bool note_outcome(NodeHeader<R>& node, int action, Proof outcome) {
    if (outcome == Proof::open) return false;
    if (outcome == Proof::win) {
        node.lost = node.legal[0];  // nothing else matters any more
        node.lost.clear(action);
        node.proof = Proof::win;
        return true;
    }
    if (outcome == Proof::loss)
        node.lost.set(action);
    else
        node.drawn.set(action);
    if (!((node.lost | node.drawn) == node.legal[0])) return false;
    node.proof = node.drawn.any() ? Proof::draw : Proof::loss;
    return true;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_PROOF_H
