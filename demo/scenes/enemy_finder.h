// How near the enemy is, and how many friends stand before him, for every unit of a large army.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "draw/geometry.h"
#include "scenes/skirmish_world.h"

namespace augur::demo {

/// How far the nearest enemy is, looked up in a coarse grid; kTooFar beyond one cell.
class EnemyFinder {
  public:
    static constexpr float kCell = 8.0f;
    static constexpr float kTooFar = 2.0f * kCell;

    EnemyFinder(const std::vector<WorldUnit>& units, Vec2 field)
        : units_(units),
          columns_(static_cast<int>(field.x / kCell) + 1),
          rows_(static_cast<int>(field.y / kCell) + 1),
          cells_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {
        for (std::uint32_t i = 0; i < units.size(); ++i) {
            if (units[i].health > 0) cells_[cell(column_of(units[i]), row_of(units[i]))].push_back(i);
        }
    }

    struct Found {
        float distance = kTooFar;  ///< of the nearest enemy
        int friends_closer = 0;
    };

    Found nearest_to(const WorldUnit& unit) const {
        Found found;
        visit(unit, [&](const WorldUnit& other, float distance) {
            if (other.team != unit.team) found.distance = std::min(found.distance, distance);
        });
        visit(unit, [&](const WorldUnit& other, float distance) {
            found.friends_closer += other.team == unit.team && distance < found.distance && distance > 0.0f ? 1 : 0;
        });
        return found;
    }

  private:
    template <class Visitor>
    void visit(const WorldUnit& unit, Visitor visitor) const {
        for (int row = std::max(row_of(unit) - 1, 0); row <= std::min(row_of(unit) + 1, rows_ - 1); ++row) {
            for (int column = std::max(column_of(unit) - 1, 0); column <= std::min(column_of(unit) + 1, columns_ - 1);
                 ++column) {
                for (const std::uint32_t other : cells_[cell(column, row)]) {
                    visitor(units_[other], length(place_of(units_[other]) - place_of(unit)));
                }
            }
        }
    }

    int column_of(const WorldUnit& unit) const {
        return std::clamp(static_cast<int>(unit.position[0] / kCell), 0, columns_ - 1);
    }
    int row_of(const WorldUnit& unit) const {
        return std::clamp(static_cast<int>(unit.position[1] / kCell), 0, rows_ - 1);
    }
    std::size_t cell(int column, int row) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
    }

    const std::vector<WorldUnit>& units_;
    int columns_;
    int rows_;
    std::vector<std::vector<std::uint32_t>> cells_;
};

}  // namespace augur::demo
