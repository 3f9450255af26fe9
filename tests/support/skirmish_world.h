// A battle of any number of skirmish units on the host: the rules of plugin/rules/skirmish.h stated a second time, for
// all units at once, in the plainest way (64-bit sums, loops over everybody, nothing packed). It is the oracle for the
// rules, and the arena in which controllers are compared.

#ifndef AUGUR_TESTS_SUPPORT_SKIRMISH_WORLD_H
#define AUGUR_TESTS_SUPPORT_SKIRMISH_WORLD_H

#include <cstdint>
#include <optional>
#include <vector>

#include "rules/skirmish.h"

namespace augur::test {

struct SkirmishUnit {
    std::int32_t x = 0, y = 0;
    std::int32_t health = 0;
    std::int32_t kind = 0;
    std::int32_t team = 0;
    std::int32_t cooldown = 0;
    std::int32_t ability = 0;

    bool operator==(const SkirmishUnit&) const = default;
};

class SkirmishWorld {
  public:
    std::vector<SkirmishUnit> units;
    std::int32_t size = rules::Skirmish::kWorldSize;  // units are kept within 0 .. size
    bool bounded = true;
    std::optional<SkirmishUnit> objective;  // x and y: where everybody marches while no enemy is in sight

    // Everybody's action at once. An action that is not possible is a hold.
    void advance(const std::vector<int>& actions);

    // What the last ply brought: who hit or mended whom for how much before a guard halved it, and who was on guard.
    struct Deed {
        std::size_t from, to;
        int points;
        bool mends;
    };
    std::vector<Deed> deeds;
    std::vector<bool> on_guard;

    // What the search supposes of everybody but its agent: strike or mend the nearest in reach, else walk to it.
    int scripted_action(std::size_t unit) const;

    // True when the action is possible: what a legal mask must say.
    bool possible(std::size_t unit, int action) const;

    // The unit's eight nearest living units in the 3 x 3 grid cells around it, by (distance, index), as the
    // library's grid finds them.
    std::vector<std::uint32_t> neighbours(std::size_t unit) const;

    // The words of all fields, [W][A], as the library's fetch stage leaves them.
    std::vector<std::int32_t> words() const;

    // The search state of a unit; only for living ones.
    rules::Skirmish::State state(std::size_t unit) const;

    int living(std::int32_t team) const;
    int total_health(std::int32_t team) const;

    std::optional<std::size_t> nearest_enemy(std::size_t unit) const;
    std::optional<std::size_t> nearest_friend(std::size_t unit) const;
    std::optional<std::size_t> nearest_target(std::size_t unit) const;

  private:
    std::int64_t distance(std::size_t a, std::size_t b) const;
    std::optional<std::size_t> weakest_target_in_reach(std::size_t unit) const;
    bool is_target(std::size_t unit, std::size_t other) const;
    bool in_reach(std::size_t unit, std::size_t other) const;
    bool hurt(std::size_t unit) const;
    bool threatened(std::size_t unit) const;
};

}  // namespace augur::test

#endif
