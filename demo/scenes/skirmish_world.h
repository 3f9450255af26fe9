// The battle's world: a game's own state in its own OpenGL buffers, moved on by its own compute shaders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/gl.h"
#include "draw/geometry.h"

namespace augur::demo {

/// One unit as it lies in the buffers; shaders/world.glsl has the same layout.
struct WorldUnit {
    float position[2];
    float objective[2];
    std::int32_t health;
    std::int32_t kind;
    std::int32_t team;
    std::int32_t cooldown;
    std::int32_t ability;
    std::int32_t facing;
    std::int32_t timer;
    std::int32_t deed;
    std::int32_t target;
    std::int32_t wave;
};
static_assert(sizeof(WorldUnit) == 56, "std430 layout of Unit in shaders/world.glsl");

inline Vec2 place_of(const WorldUnit& unit) {
    return {unit.position[0], unit.position[1]};
}

/// Points of health of a unit of this kind at its best.
std::int32_t full_health(std::int32_t kind);
const char* kind_name(std::int32_t kind);
/// World units that a unit of this kind walks in a tick.
float stride_length(std::int32_t kind, bool diagonal);

/// Holds up to `capacity` units. The buffers keep their names for life, so they are registered once for each planner.
class SkirmishWorld {
  public:
    bool start(std::uint32_t capacity, std::string& error);

    /// Places both armies. The field's size follows from the number of units.
    void deploy(std::uint32_t unit_count, std::uint64_t seed);

    /// Whether units push each other apart, which the searched rules know nothing of [true].
    void set_solid_bodies(bool solid) { solid_bodies_ = solid; }

    /// The team that follows a plain script instead of its actions, -1 for none [-1].
    void set_scripted_team(std::int32_t team) { scripted_team_ = team; }
    std::int32_t scripted_team() const { return scripted_team_; }

    /// One tick with the actions in the action buffer, all on the GPU.
    void step();
    /// Writes each unit's urgency: `peak` beside an enemy, 1 where none is near, in between by nearness to the power
    /// `fall`. After step(), whose grid it uses.
    void weigh(float peak, float fall);
    /// Takes a copy of the actions for drawing.
    void show_plan();

    std::uint32_t unit_count() const { return unit_count_; }
    Vec2 field() const { return field_; }
    std::uint64_t ticks() const { return ticks_; }

    const GlBuffer& units() const { return units_; }      ///< the planner reads it
    const GlBuffer& actions() const { return actions_; }  ///< the planner writes it, one int32 per unit

    const GlBuffer& urgencies() const { return urgencies_; }  ///< the planner reads it, one float per unit

    /// Binds the copies that drawing reads, as shaders/shown.glsl expects them.
    void bind_shown() const;

    /// Reads one unit of the newest shown state back (56 bytes), and all of them for a click.
    WorldUnit read_unit(std::uint32_t index) const;
    std::vector<WorldUnit> read_all() const;
    /// Living units of both teams, and the fallen so far.
    std::array<std::int32_t, 4> tally() const;

  private:
    void set_field(const GlProgram& program) const;
    void place_unit(WorldUnit& unit, std::uint32_t index, std::uint64_t seed) const;
    void copy(const GlBuffer& from, const GlBuffer& to, std::size_t element_bytes) const;

    std::uint32_t capacity_ = 0;
    std::uint32_t unit_count_ = 0;
    std::uint32_t seed_ = 0;
    std::uint64_t ticks_ = 0;
    bool solid_bodies_ = true;
    std::int32_t scripted_team_ = -1;
    Vec2 field_;
    std::int32_t cells_[2] = {1, 1};
    GlProgram bin_;
    GlProgram act_;
    GlProgram settle_;
    GlProgram weigh_;
    GlBuffer units_;
    GlBuffer actions_;
    GlBuffer shown_now_;
    GlBuffer shown_before_;
    GlBuffer shown_actions_;
    GlBuffer outcomes_;
    GlBuffer hits_;
    GlBuffer heads_;
    GlBuffer links_;
    GlBuffer tally_;
    GlBuffer urgencies_;
};

}  // namespace augur::demo
