// Trees and frames as text that a person can read in a diff.

#ifndef AUGUR_TESTS_GOLDEN_GOLDEN_TEXT_H
#define AUGUR_TESTS_GOLDEN_GOLDEN_TEXT_H

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "core/choose.h"
#include "core/tree.h"

namespace augur::test {

// One line a node: index, parent, action(s) that led there, player, visits, marks, and visits:sum of every edge that
// has a visit. Sums are in units of 2^-15 with 1 added to each value, as the edges keep them: whole numbers, so that
// nothing is rounded.
template <class SearchTree>
std::string golden_text(const SearchTree& tree, const core::Decision& decision) {
    using Tree = typename std::remove_cvref_t<decltype(tree.tree())>;
    std::ostringstream out;
    out << "decision: action " << decision.action << ", visits " << decision.visits << ", flags " << decision.flags
        << ", value " << static_cast<std::int64_t>(static_cast<double>(decision.value) * 1073741824.0) << " / 2^30\n";
    for (std::uint32_t node = 0; node < tree.work().nodes; ++node) {
        const auto& header = tree.header(node);
        if (node > 0 && header.parent == core::kNoNode) continue;
        out << node;
        if (node > 0) {
            out << " from " << header.parent << " by";
            for (int d = 0; d < Tree::D; ++d)
                out << ' ' << header.action[d] << '(' << header.reward[d] << ')';
        }
        out << " player " << static_cast<int>(header.player) << " visits " << header.visits;
        if (header.terminal) out << " end";
        const char* const kProofs[] = {"", " won", " lost", " drawn"};
        out << kProofs[static_cast<int>(header.proof)];
        for (int d = 0; d < Tree::D; ++d) {
            if (Tree::D > 1) out << " |";
            for (int action = 0; action < Tree::K; ++action) {
                const core::Edge edge = tree.tree().node_edges(node, d)[action];
                if (edge == 0) continue;
                out << ' ' << action << '=' << core::edge_visits(edge) << ':' << (edge & core::kSumMask);
            }
        }
        out << '\n';
    }
    return out.str();
}

// A named text.
struct Golden {
    std::string name;
    std::string text;
};

// Decisions on the learned rules that ship, in INT8.
Golden learned_golden();

// All of them, made anew by the search of this build.
std::vector<Golden> make_goldens();

}  // namespace augur::test

#endif
