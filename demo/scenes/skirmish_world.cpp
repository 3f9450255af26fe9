#include "scenes/skirmish_world.h"

#include <algorithm>
#include <cmath>

#include "draw/shaders.h"

namespace augur::demo {
namespace {

constexpr std::int32_t kScale = 256;       // position steps to a world unit
constexpr std::int32_t kCellSteps = 2048;  // shaders/skirmish_layout.glsl
constexpr std::uint32_t kGroupSize = 64;   // shaders/skirmish_layout.glsl
constexpr float kUnitsPerArea = 0.25f;     // at the start, over the whole field
constexpr float kFieldAspect = 1.7f;
constexpr float kSmallestHeight = 24.0f;
constexpr std::size_t kOutcomeBytes = 32;
constexpr std::uint32_t kCompanySize = 40;
// Of shaders/skirmish_rules.glsl.
constexpr std::int32_t kFullHealth[3] = {60, 36, 40};
constexpr std::int32_t kStraight[3] = {160, 192, 176};
constexpr std::int32_t kDiagonal[3] = {113, 136, 124};
constexpr std::size_t kMostCells = 256 * 256;

// Counter-based: unit and purpose give the number, so the order of calls does not matter.
std::uint32_t mixed(std::uint64_t seed, std::uint32_t unit, std::uint32_t purpose) {
    std::uint64_t x = seed * 0x9e3779b97f4a7c15ull + (static_cast<std::uint64_t>(unit) << 20) + purpose;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>((x ^ (x >> 31)) >> 16);
}

GlBuffer storage(std::size_t bytes) {
    return {static_cast<GLsizeiptr>(bytes), nullptr, GL_DYNAMIC_STORAGE_BIT};
}

void fill(const GlBuffer& buffer, std::int32_t value) {
    glClearNamedBufferData(buffer.name(), GL_R32I, GL_RED_INTEGER, GL_INT, &value);
}

}  // namespace

std::int32_t full_health(std::int32_t kind) {
    return kFullHealth[static_cast<std::size_t>(std::clamp(kind, 0, 2))];
}

float stride_length(std::int32_t kind, bool diagonal) {
    const auto slot = static_cast<std::size_t>(std::clamp(kind, 0, 2));
    const auto steps = static_cast<float>(diagonal ? kDiagonal[slot] : kStraight[slot]) / static_cast<float>(kScale);
    return diagonal ? steps * std::sqrt(2.0f) : steps;
}

const char* kind_name(std::int32_t kind) {
    return kind == 0 ? "Melee" : kind == 1 ? "Ranged" : "Healer";
}

bool SkirmishWorld::start(std::uint32_t capacity, std::string& error) {
    bin_ = make_program({"skirmish_rules.glsl", "world.glsl", "skirmish_layout.glsl", "skirmish_bin.comp"}, error);
    if (bin_.name() == 0) return false;
    act_ = make_program({"skirmish_rules.glsl", "world.glsl", "skirmish_layout.glsl", "skirmish_act.comp"}, error);
    if (act_.name() == 0) return false;
    settle_ =
        make_program({"skirmish_rules.glsl", "world.glsl", "skirmish_layout.glsl", "skirmish_settle.comp"}, error);
    if (settle_.name() == 0) return false;
    weigh_ =
        make_program({"skirmish_rules.glsl", "world.glsl", "skirmish_layout.glsl", "skirmish_urgency.comp"}, error);
    if (weigh_.name() == 0) return false;
    capacity_ = capacity;
    urgencies_ = storage(capacity * sizeof(float));
    units_ = storage(capacity * sizeof(WorldUnit));
    shown_now_ = storage(capacity * sizeof(WorldUnit));
    shown_before_ = storage(capacity * sizeof(WorldUnit));
    actions_ = storage(capacity * sizeof(std::int32_t));
    shown_actions_ = storage(capacity * sizeof(std::int32_t));
    outcomes_ = storage(capacity * kOutcomeBytes);
    hits_ = storage(capacity * 2 * sizeof(std::int32_t));
    heads_ = storage(kMostCells * sizeof(std::int32_t));
    links_ = storage(capacity * sizeof(std::int32_t));
    tally_ = storage(4 * sizeof(std::int32_t));
    return true;
}

void SkirmishWorld::deploy(std::uint32_t unit_count, std::uint64_t seed) {
    unit_count_ = std::min(unit_count, capacity_);
    seed_ = mixed(seed, 0, 99);
    ticks_ = 0;
    const float area = static_cast<float>(unit_count_) / kUnitsPerArea;
    // Whole world units, so that the grid and the edges fall on whole position steps.
    field_.y = std::max(std::floor(std::sqrt(area / kFieldAspect)), kSmallestHeight);
    field_.x = std::floor(field_.y * kFieldAspect);
    for (int axis = 0; axis < 2; ++axis) {
        const auto steps = static_cast<std::int32_t>(axis == 0 ? field_.x : field_.y) * kScale;
        cells_[axis] = std::max(1, (steps + kCellSteps - 1) / kCellSteps);
    }

    std::vector<WorldUnit> units(capacity_);
    for (std::uint32_t i = 0; i < unit_count_; ++i)
        place_unit(units[i], i, seed);
    const auto bytes = static_cast<GLsizeiptr>(capacity_ * sizeof(WorldUnit));
    glNamedBufferSubData(units_.name(), 0, bytes, units.data());
    glNamedBufferSubData(shown_now_.name(), 0, bytes, units.data());
    glNamedBufferSubData(shown_before_.name(), 0, bytes, units.data());
    const float calm = 1.0f;
    glClearNamedBufferData(urgencies_.name(), GL_R32F, GL_RED, GL_FLOAT, &calm);
    fill(actions_, -1);
    fill(shown_actions_, -1);
    fill(tally_, 0);
    const std::int32_t living[2] = {static_cast<std::int32_t>((unit_count_ + 1) / 2),
                                    static_cast<std::int32_t>(unit_count_ / 2)};
    glNamedBufferSubData(tally_.name(), 0, sizeof living, living);
}

// Units fight in companies that start scattered over their half, so that the armies meet here and there, not all at
// once.
void SkirmishWorld::place_unit(WorldUnit& unit, std::uint32_t index, std::uint64_t seed) const {
    const auto width = static_cast<std::int32_t>(field_.x) * kScale;
    const auto height = static_cast<std::int32_t>(field_.y) * kScale;
    const auto share = [&](std::int32_t whole, std::uint32_t unit_number, std::uint32_t purpose) {
        return static_cast<std::int32_t>(static_cast<std::int64_t>(whole) *
                                         (mixed(seed, unit_number, purpose) % 65536) / 65536);
    };
    unit.team = static_cast<std::int32_t>(index & 1);
    const std::uint32_t company = (index / 2 / kCompanySize) * 2 + (index & 1);
    const std::uint32_t luck = mixed(seed, index, 1) % 16;
    unit.kind = luck < 8 ? 0 : luck < 13 ? 1 : 2;
    const std::int32_t ahead = unit.team == 0 ? 1 : -1;
    const std::int32_t from_middle = width / 28 + share(width / 3, company, 4);
    // Melee in front, ranged behind them, healers last.
    const std::int32_t rank = (unit.kind == 0 ? 2 : unit.kind == 1 ? -1 : -3) * kScale;
    const std::int32_t spread_x = share(4 * kScale, index, 5) + share(4 * kScale, index, 6) - 4 * kScale;
    const std::int32_t spread_y = share(9 * kScale, index, 7) + share(9 * kScale, index, 8) - 9 * kScale;
    const std::int32_t x = width / 2 - ahead * from_middle + ahead * rank + spread_x;
    const std::int32_t y = height / 24 + share(height - height / 12, company, 9) + spread_y;
    unit.position[0] = static_cast<float>(std::clamp(x, 0, width)) / static_cast<float>(kScale);
    unit.position[1] = static_cast<float>(std::clamp(y, 0, height)) / static_cast<float>(kScale);
    // Both armies want the ground around the middle, the enemy's side of it more than their own, so there they keep
    // meeting.
    const std::int32_t beyond = share(18 * kScale, index, 10) - 6 * kScale;
    const std::int32_t wanted_x = std::clamp(width / 2 + ahead * beyond, 0, width);
    unit.objective[0] = static_cast<float>(wanted_x) / static_cast<float>(kScale);
    unit.objective[1] = unit.position[1];
    unit.health = full_health(unit.kind);
    unit.facing = unit.team == 0 ? 0 : 4;
    unit.target = -1;
}

void SkirmishWorld::step() {
    const GLuint groups = (unit_count_ + kGroupSize - 1) / kGroupSize;
    fill(heads_, -1);
    const std::int32_t zero = 0;
    glClearNamedBufferSubData(tally_.name(), GL_R32I, 0, 2 * sizeof(std::int32_t), GL_RED_INTEGER, GL_INT, &zero);
    units_.bind_storage(0);
    actions_.bind_storage(1);
    outcomes_.bind_storage(2);
    hits_.bind_storage(3);
    heads_.bind_storage(4);
    links_.bind_storage(5);
    tally_.bind_storage(6);
    for (const GlProgram* program : {&bin_, &act_, &settle_}) {
        set_field(*program);
        if (program == &act_) {
            glUniform1i(program->uniform("solid_bodies"), solid_bodies_ ? 1 : 0);
            glUniform1i(program->uniform("scripted_team"), scripted_team_);
        }
        if (program == &settle_) glUniform1ui(program->uniform("seed"), seed_);
        glDispatchCompute(groups, 1, 1);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    }
    copy(shown_now_, shown_before_, sizeof(WorldUnit));
    copy(units_, shown_now_, sizeof(WorldUnit));
    ++ticks_;
}

void SkirmishWorld::set_field(const GlProgram& program) const {
    program.use();
    glUniform1ui(program.uniform("unit_count"), unit_count_);
    glUniform2i(program.uniform("field_size"), static_cast<GLint>(field_.x) * kScale,
                static_cast<GLint>(field_.y) * kScale);
    glUniform2i(program.uniform("cell_count"), cells_[0], cells_[1]);
}

void SkirmishWorld::weigh(float peak, float fall) {
    units_.bind_storage(0);
    heads_.bind_storage(4);
    links_.bind_storage(5);
    urgencies_.bind_storage(7);
    set_field(weigh_);
    glUniform1f(weigh_.uniform("peak"), peak);
    glUniform1f(weigh_.uniform("fall"), fall);
    glDispatchCompute((unit_count_ + kGroupSize - 1) / kGroupSize, 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

void SkirmishWorld::show_plan() {
    copy(actions_, shown_actions_, sizeof(std::int32_t));
}

void SkirmishWorld::bind_shown() const {
    shown_now_.bind_storage(0);
    shown_before_.bind_storage(1);
    shown_actions_.bind_storage(2);
}

WorldUnit SkirmishWorld::read_unit(std::uint32_t index) const {
    WorldUnit unit{};
    if (index >= unit_count_) return unit;
    glGetNamedBufferSubData(shown_now_.name(), static_cast<GLintptr>(index * sizeof unit), sizeof unit, &unit);
    return unit;
}

std::vector<WorldUnit> SkirmishWorld::read_all() const {
    std::vector<WorldUnit> units(unit_count_);
    glGetNamedBufferSubData(shown_now_.name(), 0, static_cast<GLsizeiptr>(units.size() * sizeof(WorldUnit)),
                            units.data());
    return units;
}

std::array<std::int32_t, 4> SkirmishWorld::tally() const {
    std::array<std::int32_t, 4> tally{};
    glGetNamedBufferSubData(tally_.name(), 0, sizeof tally, tally.data());
    return tally;
}

void SkirmishWorld::copy(const GlBuffer& from, const GlBuffer& to, std::size_t element_bytes) const {
    glCopyNamedBufferSubData(from.name(), to.name(), 0, 0, static_cast<GLsizeiptr>(unit_count_ * element_bytes));
}

}  // namespace augur::demo
