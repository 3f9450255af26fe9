// Finding an agent's nearest neighbours through a uniform grid on the host's own positions.
// The grid is hashed: bucket = hash of the cell, a linked list of agents per bucket. The order within a list may differ
// from run to run and machine to machine; the neighbours found may not, because they are ordered by (distance^2, agent
// index).
#ifndef AUGUR_CORE_GRID_H
#define AUGUR_CORE_GRID_H

#include <augur/kit/rules.h>

#include "core/lanes.h"
#include "core/tree.h"

namespace augur::core {

struct Grid {
    std::uint32_t* heads;   // [buckets] first agent of the bucket, kNoNode when empty
    std::uint32_t* next;    // [A] next agent in the same bucket
    std::uint32_t buckets;  // a power of two
};

// Buckets for a planner: at least twice the agents, so lists stay short.
constexpr std::uint32_t grid_buckets(std::uint32_t agent_capacity) {
    std::uint32_t buckets = 64;
    while (buckets < agent_capacity * 2 && buckets < (1u << 21))
        buckets *= 2;
    return buckets;
}

AUGUR_HD_INLINE std::uint32_t grid_bucket(const Grid& grid, std::int32_t cell_x, std::int32_t cell_y) {
    const std::uint32_t h =
        static_cast<std::uint32_t>(cell_x) * 0x9E3779B1u ^ static_cast<std::uint32_t>(cell_y) * 0x85EBCA77u;
    return (h ^ (h >> 15)) & (grid.buckets - 1);
}

// Up to Count nearest others, nearest first.
template <int Count>
struct NearestList {
    std::uint64_t distance[Count];  // squared, units of the position
    std::uint32_t agent[Count];     // kNoNode where there are fewer

    AUGUR_HD_INLINE NearestList() {
        AUGUR_UNROLL
        for (int i = 0; i < Count; ++i) {
            distance[i] = ~std::uint64_t(0);
            agent[i] = kNoNode;
        }
    }

    // Insertion. Of a lane alone it ends at the place that it looks for; else the list is never indexed by a variable,
    // so that it can stay in registers.
    template <bool kAlone>
    AUGUR_HD_INLINE void offer(std::uint64_t d2, std::uint32_t who) {
        if constexpr (kAlone) {
            const auto is_closer = [&](int i) { return d2 < distance[i] || (d2 == distance[i] && who < agent[i]); };
            if (!is_closer(Count - 1)) return;
            int place = Count - 1;
            for (; place > 0 && is_closer(place - 1); --place) {
                distance[place] = distance[place - 1];
                agent[place] = agent[place - 1];
            }
            distance[place] = d2;
            agent[place] = who;
        } else {
            AUGUR_UNROLL
            for (int i = 0; i < Count; ++i) {
                const bool closer = d2 < distance[i] || (d2 == distance[i] && who < agent[i]);
                const std::uint64_t farther_distance = closer ? distance[i] : d2;
                const std::uint32_t farther_agent = closer ? agent[i] : who;
                distance[i] = closer ? d2 : distance[i];
                agent[i] = closer ? who : agent[i];
                d2 = farther_distance;
                who = farther_agent;
            }
        }
    }

    AUGUR_HD_INLINE std::uint64_t farthest() const { return distance[Count - 1]; }

    AUGUR_HD_INLINE void drop_first() {
        AUGUR_UNROLL
        for (int i = 0; i < Count; ++i) {
            distance[i] = i + 1 < Count ? distance[(i + 1) % Count] : ~std::uint64_t(0);
            agent[i] = i + 1 < Count ? agent[(i + 1) % Count] : kNoNode;
        }
    }
};

// Cell number i of the 3 x 3 around a cell, and its bucket.
AUGUR_HD_INLINE std::uint32_t nearby_bucket(const Grid& grid, std::int32_t cell_x, std::int32_t cell_y, int i) {
    return grid_bucket(grid, cell_x + i % 3 - 1, cell_y + i / 3 - 1);
}

// One lane looks at the nearest of these cells first; several share them as they come.
template <class Lanes>
AUGUR_HD_INLINE int cell_in_turn(int turn) {
    if constexpr (Lanes::kWidth == 1) {
        constexpr int kNearestFirst[9] = {4, 1, 3, 5, 7, 0, 2, 6, 8};
        return kNearestFirst[turn];
    } else {
        return turn;
    }
}

// Squared distance from a place to the nearest that cell number i of the 3 x 3 around its own can hold.
template <class R>
AUGUR_HD_INLINE std::uint64_t distance_to_cell(std::int32_t x, std::int32_t y, int i) {
    constexpr std::int64_t kSize = std::int64_t{1} << R::kCellShift;
    const auto along = [](std::int32_t at, int step) {
        const std::int64_t within = at & (kSize - 1);
        return step < 0 ? within + 1 : step > 0 ? kSize - within : 0;
    };
    const std::int64_t dx = along(x, i % 3 - 1), dy = along(y, i / 3 - 1);
    return static_cast<std::uint64_t>(dx * dx + dy * dy);
}

// Neighbours of `agent` within the 3 x 3 cells around it, nearest first; kNoNode past the last. The agent itself is not
// among them. Returns how many; all lanes get the same answer, none where none are wanted. Cost: a walk over all agents
// in nine cells, shared by the lanes; one lane alone leaves out cells that are farther than the farthest it has.
template <class R, class Lanes>
AUGUR_HD_INLINE int find_neighbours(const Grid& grid, const kit::Fields& fields, std::uint32_t agent, bool wanted,
                                    std::uint32_t (&out)[R::kNeighbours > 0 ? R::kNeighbours : 1], Lanes lanes) {
    if constexpr (R::kNeighbours == 0) {
        return 0;
    } else {
        const std::int32_t x = fields.get(R::kPositionWord, agent), y = fields.get(R::kPositionWord + 1, agent);
        const std::int32_t cell_x = x >> R::kCellShift, cell_y = y >> R::kCellShift;
        NearestList<R::kNeighbours> nearest;
        [[maybe_unused]] std::uint32_t left_out = 0;  // a bit for each turn
        for (int turn = lanes.index(); wanted && turn < 9; turn += Lanes::kWidth) {
            const int cell = cell_in_turn<Lanes>(turn);
            if constexpr (Lanes::kWidth == 1) {
                if (distance_to_cell<R>(x, y, cell) > nearest.farthest()) {
                    left_out |= 1u << turn;
                    continue;
                }
            }
            const std::uint32_t bucket = nearby_bucket(grid, cell_x, cell_y, cell);
            bool again = false;  // two of the nine cells can share a bucket
            for (int j = 0; j < turn; ++j)
                again = again || ((left_out >> j & 1u) == 0 &&
                                  nearby_bucket(grid, cell_x, cell_y, cell_in_turn<Lanes>(j)) == bucket);
            if (again) continue;
            std::uint32_t following = kNoNode;
            for (std::uint32_t other = grid.heads[bucket]; other != kNoNode; other = following) {
                following = grid.next[other];  // asked for together with the position: a list is a chain of slow reads
                const std::int32_t ox = fields.get(R::kPositionWord, other),
                                   oy = fields.get(R::kPositionWord + 1, other);
                // Others that share the bucket by chance are farther than one cell and are left out.
                const bool near = kit::absolute((ox >> R::kCellShift) - cell_x) <= 1 &&
                                  kit::absolute((oy >> R::kCellShift) - cell_y) <= 1;
                const std::int64_t dx = static_cast<std::int64_t>(ox) - x, dy = static_cast<std::int64_t>(oy) - y;
                const auto distance = static_cast<std::uint64_t>(dx * dx + dy * dy);
                if (near && other != agent && distance <= nearest.farthest())
                    nearest.template offer<Lanes::kWidth == 1>(distance, other);
            }
        }
        int found = 0;
        AUGUR_UNROLL
        for (int i = 0; i < R::kNeighbours; ++i) {
            if constexpr (Lanes::kWidth == 1) {
                out[i] = nearest.agent[i];
            } else {
                out[i] = lanes.nearest(nearest.distance[0], nearest.agent[0]);
                if (out[i] == nearest.agent[0]) nearest.drop_first();
            }
            found += out[i] != kNoNode ? 1 : 0;
        }
        return found;
    }
}

// Whether an agent goes into the grid, and into which bucket. Agents with an invalid position are nobody's neighbour.
template <class R>
AUGUR_HD_INLINE bool grid_place(const Grid& grid, const kit::Fields& fields, std::uint32_t agent,
                                std::uint32_t& bucket) {
    if constexpr (R::kNeighbours == 0) {
        return false;
    } else {
        const std::int32_t x = fields.get(R::kPositionWord, agent), y = fields.get(R::kPositionWord + 1, agent);
        if (x == kit::kInvalidWord || y == kit::kInvalidWord || !R::present(fields, agent)) return false;
        bucket = grid_bucket(grid, x >> R::kCellShift, y >> R::kCellShift);
        return true;
    }
}

}  // namespace augur::core

#endif  // AUGUR_CORE_GRID_H
