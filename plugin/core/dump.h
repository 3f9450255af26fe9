// A tree as a list for people and tools, parents before children.
#ifndef AUGUR_CORE_DUMP_H
#define AUGUR_CORE_DUMP_H

#include <vector>

#include "core/guided_tree.h"

namespace augur::core {

// The same layout as augur_tree_node.
struct DumpedNode {
    std::uint32_t parent;
    std::int32_t action;
    std::uint32_t visits;
    float value;
    std::int32_t reward;
    std::uint32_t depth;
    std::uint32_t player;
    std::uint32_t flags;  // 1 terminal, 2 proven win, 4 proven loss, 8 proven draw
    float prior;          // of the edge that led here; guided trees
    float model_value;    // guided trees
};

// Dumps a whole tree, level by level and by index within a level. nodes: indices in use (work.nodes); an index that
// holds no node has a parent of kNoNode and is left out. capacity: room in out; fewer nodes are written when it is too
// small. Returns the nodes there are. Allocates: not for the frame. Cost: nodes times depth.
template <class R, class T>
std::uint32_t dump_tree(const T& tree, std::uint32_t nodes, DumpedNode* out, std::uint32_t capacity) {
    std::vector<std::uint32_t> depth(nodes, 0);
    std::vector<std::uint32_t> level_size(1, 0);
    for (std::uint32_t i = 0; i < nodes; ++i) {
        if (i > 0 && tree.headers[i].parent == kNoNode) {
            depth[i] = kNoNode;
            continue;
        }
        for (std::uint32_t up = i; up != 0; up = tree.headers[up].parent)
            ++depth[i];
        if (depth[i] >= level_size.size()) level_size.resize(depth[i] + 1, 0);
        ++level_size[depth[i]];
    }
    std::uint32_t total = 0;
    for (std::uint32_t& size : level_size) {
        const std::uint32_t start = total;
        total += size;
        size = start;
    }
    std::vector<std::uint32_t> place(nodes, kNoNode);
    for (std::uint32_t i = 0; i < nodes; ++i)
        if (depth[i] != kNoNode) place[i] = level_size[depth[i]]++;
    for (std::uint32_t i = 0; i < nodes; ++i) {
        if (place[i] >= capacity) continue;
        const NodeHeader<R>& h = tree.headers[i];
        DumpedNode& node = out[place[i]];
        node = {kNoNode, -1, h.visits, 0.0f, 0, depth[i], h.player, 0, 0.0f, 0.0f};
        node.flags = (h.terminal ? 1u : 0u) | (h.proof == Proof::win ? 2u : 0u) | (h.proof == Proof::loss ? 4u : 0u) |
                     (h.proof == Proof::draw ? 8u : 0u);
        if constexpr (Guided<T>) {
            if (!h.terminal) node.model_value = static_cast<float>(tree.network_value(i)) / 65536.0f;
            if (i > 0)
                node.prior =
                    static_cast<float>(tree.node_priors(h.parent)[h.action[0]]) / static_cast<float>(kWholePrior);
        }
        if (i == 0) continue;
        const Edge edge = tree.node_edges(h.parent)[h.action[0]];
        node.parent = place[h.parent];
        node.action = h.action[0];
        node.visits = edge_visits(edge);
        node.value = node.visits > 0 ? edge_mean(edge) : 0.0f;
        node.reward = h.reward[0];
    }
    return total;
}

}  // namespace augur::core

#endif  // AUGUR_CORE_DUMP_H
