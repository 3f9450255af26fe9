#include "scenes/skirmish.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "draw/shaders.h"
#include "scenes/enemy_finder.h"
#include "scenes/skirmish_sight.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

constexpr std::uint32_t kMostUnits = 65536;
constexpr std::uint64_t kTicksWithOneUnit = 60;
constexpr float kLongestZoom = 1.15f;  // of the field's height
constexpr float kClosestZoom = 8.0f;   // world units from bottom to top

/// The camera whose center appears in the middle of the part of the picture that the panels leave free.
Camera seen_from(const Camera& free_camera, const Viewport& view) {
    Camera camera = free_camera;
    const float scale = camera.units_per_pixel(view.picture);
    const Vec2 middle = (view.low + view.high) * 0.5f;
    camera.center.x -= (middle.x - 0.5f * static_cast<float>(view.picture.width)) * scale;
    camera.center.y += (middle.y - 0.5f * static_cast<float>(view.picture.height)) * scale;
    return camera;
}

}  // namespace

bool SkirmishScene::start(std::string& error) {
    if (!world_.start(kMostUnits, error)) return false;
    struct Wanted {
        GlProgram& program;
        const char* vertex;
        const char* fragment;
    };
    ground_ = make_program({"ground.vert", "ground.frag"}, error);
    if (ground_.name() == 0) return false;
    for (const Wanted& wanted : {Wanted{glow_, "glow.vert", "glow.frag"}, Wanted{unit_, "unit.vert", "unit.frag"},
                                 Wanted{arrow_, "arrow.vert", "arrow.frag"}, Wanted{deed_, "deed.vert", "deed.frag"}}) {
        wanted.program =
            make_program({"skirmish_rules.glsl", "world.glsl", "shown.glsl", wanted.vertex, wanted.fragment}, error);
        if (wanted.program.name() == 0) return false;
    }
    return true;
}

void SkirmishScene::reset(std::uint32_t agents, std::uint64_t seed) {
    setup_.agents = agents;
    setup_.seed = seed;
    world_.deploy(agents, seed);
    thoughts_ = {};
    selected_by_hand_ = false;
    frame_camera();
    choose_interesting_unit();
    tally_ = world_.tally();
}

PlannerNeeds SkirmishScene::needs() const {
    return {"skirmish", world_.unit_count(), AUGUR_SEARCH_FOREST};
}

bool SkirmishScene::bind(PlannerSession& session) {
    augur_buffer_id units{};
    augur_buffer_id actions{};
    const std::size_t stride = sizeof(WorldUnit);
    return session.register_gl(world_.units(), AUGUR_ACCESS_READ, units) &&
           session.register_gl(world_.actions(), AUGUR_ACCESS_WRITE, actions) &&
           session.bind("position", units, AUGUR_FORMAT_F32, offsetof(WorldUnit, position), stride) &&
           session.bind("objective", units, AUGUR_FORMAT_F32, offsetof(WorldUnit, objective), stride) &&
           session.bind("health", units, AUGUR_FORMAT_I32, offsetof(WorldUnit, health), stride) &&
           session.bind("kind", units, AUGUR_FORMAT_I32, offsetof(WorldUnit, kind), stride) &&
           session.bind("team", units, AUGUR_FORMAT_I32, offsetof(WorldUnit, team), stride) &&
           session.bind("cooldown", units, AUGUR_FORMAT_I32, offsetof(WorldUnit, cooldown), stride) &&
           session.bind("ability", units, AUGUR_FORMAT_I32, offsetof(WorldUnit, ability), stride) &&
           session.bind_actions(actions, AUGUR_FORMAT_I32, 0, sizeof(std::int32_t)) && bind_urgency(session);
}

bool SkirmishScene::bind_urgency(PlannerSession& session) {
    by_urgency_ = session.settings().adaptive;
    if (!by_urgency_) return true;
    augur_buffer_id urgencies{};
    return session.register_gl(world_.urgencies(), AUGUR_ACCESS_READ, urgencies) &&
           session.bind_urgency(urgencies, AUGUR_FORMAT_F32, 0, sizeof(float));
}

void SkirmishScene::planned() {
    world_.show_plan();
}

bool SkirmishScene::tick() {
    world_.step();
    if (by_urgency_) world_.weigh(urgency_.peak, urgency_.fall);
    selected_before_ = selected_unit_;
    selected_unit_ = world_.read_unit(selected_);
    tally_ = world_.tally();
    const bool idle = world_.ticks() - chosen_at_tick_ > kTicksWithOneUnit && !selected_by_hand_;
    if (selected_unit_.health <= 0 || idle) choose_interesting_unit();
    return true;
}

bool SkirmishScene::features(std::vector<float>& numbers) const {
    numbers = seen_by(world_.read_all(), selected_);
    return !numbers.empty();
}

void SkirmishScene::frame_camera() {
    wanted_.center = world_.field() * 0.5f;
    wanted_.view_height = std::clamp(10.0f + 0.36f * world_.field().y, 24.0f, 90.0f);
    camera_placed_ = false;
    camera_in_hand_ = false;
}

void SkirmishScene::compose() {
    if (!selected_by_hand_) choose_interesting_unit();
    if (!camera_in_hand_) wanted_.center = place_of(selected_unit_);
    camera_placed_ = false;
}

void SkirmishScene::choose_interesting_unit() {
    // A unit near the middle of the view that may just now strike or use its ability has the most to think about.
    const std::vector<WorldUnit> units = world_.read_all();
    const EnemyFinder enemies(units, world_.field());
    chosen_at_tick_ = world_.ticks();
    float best = std::numeric_limits<float>::max();
    for (std::uint32_t i = 0; i < units.size(); ++i) {
        const WorldUnit& unit = units[i];
        if (unit.health <= 0) continue;
        const float distance = length(place_of(unit) - wanted_.center);
        const EnemyFinder::Found enemy = enemies.nearest_to(unit);
        // A unit sees its nearest eight; with more friends than that before the enemy it does not see him.
        const float hidden = 2.0f * static_cast<float>(std::max(enemy.friends_closer - 4, 0));
        const float score = 0.12f * distance + 2.0f * std::abs(enemy.distance - 4.0f) + hidden +
                            (unit.kind == 1 ? 0.0f : 3.0f) + (unit.team == 0 ? 0.0f : 1.0f) +
                            (unit.cooldown == 0 ? 0.0f : 3.0f) + (unit.ability == 0 ? 0.0f : 1.0f) +
                            (2 * unit.health > full_health(unit.kind) ? 0.0f : 3.0f);
        if (score < best) {
            best = score;
            selected_ = i;
            selected_unit_ = unit;
            selected_before_ = unit;
        }
    }
    // Until somebody takes the camera in hand it stays with the fighting.
    if (!camera_in_hand_ && best < std::numeric_limits<float>::max()) {
        wanted_.center = mix(wanted_.center, place_of(selected_unit_), camera_placed_ ? 0.5f : 0.8f);
    }
    thoughts_.valid = false;
}

void SkirmishScene::handle(const Pointer& pointer, const Viewport& view) {
    if (view.picture.empty()) return;
    const Camera seen = seen_from(wanted_, view);
    const float scale = seen.units_per_pixel(view.picture);
    camera_in_hand_ =
        camera_in_hand_ || pointer.dragging || pointer.clicked || (pointer.over_world && pointer.wheel != 0.0f);
    if (pointer.dragging) {
        wanted_.center = {wanted_.center.x - pointer.moved.x * scale, wanted_.center.y + pointer.moved.y * scale};
        camera_.center = {camera_.center.x - pointer.moved.x * scale, camera_.center.y + pointer.moved.y * scale};
    }
    if (pointer.over_world && pointer.wheel != 0.0f) {
        const Vec2 anchor = seen.to_world(pointer.position, view.picture);
        const float before = wanted_.view_height;
        const float farthest = std::max(world_.field().y * kLongestZoom, 2.0f * kClosestZoom);
        wanted_.view_height = std::clamp(before * std::pow(0.86f, pointer.wheel), kClosestZoom, farthest);
        wanted_.center = anchor + (wanted_.center - anchor) * (wanted_.view_height / before);
    }
    const Vec2 field = world_.field();
    wanted_.center = {std::clamp(wanted_.center.x, 0.0f, field.x), std::clamp(wanted_.center.y, 0.0f, field.y)};
    if (pointer.clicked) {
        const Vec2 at = seen_from(camera_, view).to_world(pointer.position, view.picture);
        const std::vector<WorldUnit> units = world_.read_all();
        float nearest = std::max(1.5f * kUnitRadius, 10.0f * scale);
        for (std::uint32_t i = 0; i < units.size(); ++i) {
            const float distance = length({units[i].position[0] - at.x, units[i].position[1] - at.y});
            if (units[i].health <= 0 || distance >= nearest) continue;
            nearest = distance;
            selected_ = i;
            selected_unit_ = units[i];
            selected_before_ = units[i];
            selected_by_hand_ = true;
            thoughts_.valid = false;
        }
    }
}

void SkirmishScene::use(const GlProgram& program, float blend) const {
    program.use();
    glUniform1f(program.uniform("blend"), blend);
    glUniform1f(program.uniform("radius"), kUnitRadius);
    const float colors[6] = {theme::kTeam[0].r, theme::kTeam[0].g, theme::kTeam[0].b,
                             theme::kTeam[1].r, theme::kTeam[1].g, theme::kTeam[1].b};
    glUniform3fv(program.uniform("team_color"), 2, colors);
}

void SkirmishScene::draw_ground(Draw& draw, const Viewport& view, float blend, float seconds, const Target& picture) {
    const auto unit_count = static_cast<GLsizei>(world_.unit_count());
    const Camera camera = draw.camera();
    if (show_glow_) {
        glow_target_.resize({std::max(view.picture.width / 8, 1), std::max(view.picture.height / 8, 1)});
        glow_target_.bind();
        const float black[4] = {0.0f, 0.0f, 0.0f, 1.0f};
        glClearNamedFramebufferfv(glow_target_.framebuffer(), GL_COLOR, 0, black);
        glBlendFunc(GL_ONE, GL_ONE);
        use(glow_, blend);
        const float spot = std::max(3.0f, 20.0f * camera.units_per_pixel(view.picture));
        glUniform1f(glow_.uniform("spot_radius"), spot);
        glDrawArraysInstanced(GL_TRIANGLES, 0, 6, unit_count);
    }
    picture.bind();
    draw.begin(camera, view.picture, seconds);
    use(ground_, blend);
    const Vec2 field = world_.field();
    glUniform4f(ground_.uniform("field"), 0.0f, 0.0f, field.x, field.y);
    glUniform1f(ground_.uniform("grid_step"), 2.0f);
    glUniform1f(ground_.uniform("glow_amount"), show_glow_ ? 1.0f : 0.0f);
    glBindTextureUnit(0, glow_target_.texture());
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void SkirmishScene::draw(Draw& draw, const Viewport& view, float blend, float seconds, const Target& picture) {
    const float step = std::clamp(seconds - last_seconds_, 0.0f, 0.1f);
    last_seconds_ = seconds;
    const float ease = camera_placed_ ? 1.0f - std::exp((camera_in_hand_ ? -14.0f : -2.5f) * step) : 1.0f;
    camera_placed_ = true;
    camera_.center = mix(camera_.center, wanted_.center, ease);
    camera_.view_height += (wanted_.view_height - camera_.view_height) * ease;

    world_.bind_shown();
    draw_map(draw, view, blend, seconds);
    seen_ = seen_from(camera_, view);
    draw.begin(seen_, view.picture, seconds);
    draw_ground(draw, view, blend, seconds, picture);
    const auto unit_count = static_cast<GLsizei>(world_.unit_count());
    const Vec2 at = mix(Vec2{selected_before_.position[0], selected_before_.position[1]},
                        Vec2{selected_unit_.position[0], selected_unit_.position[1]}, blend);
    shown_at_ = at;
    const float pixels = draw.camera().units_per_pixel(view.picture);
    fan_radius_ = std::max(kUnitRadius * 2.1f, 12.0f * pixels) +
                  std::clamp(2.8f, 42.0f * view.scale * pixels, 80.0f * view.scale * pixels);
    const bool alive = selected_unit_.health > 0;
    if (show_deeds_) {
        use(deed_, blend);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE);
        glDrawArraysInstanced(GL_TRIANGLES, 0, 6, 2 * unit_count);
        glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    }
    if (alive && show_tree_) draw_thoughts(draw, at);
    draw.flush();
    if (show_plans_) {
        use(arrow_, blend);
        glUniform1i(arrow_.uniform("scripted_team"), world_.scripted_team());
        glDrawArraysInstanced(GL_TRIANGLES, 0, 6, unit_count);
    }
    use(unit_, blend);
    glDrawArraysInstanced(GL_TRIANGLES, 0, 6, unit_count);
    if (alive) {
        const float ring = std::max(kUnitRadius * 1.75f, 9.0f * pixels);
        draw.ring(at, ring, 0.05f, {1.0f, 1.0f, 1.0f, 0.95f}, 1.8f);
        if (show_tree_ && thoughts_.valid) draw_tree(draw, at, 1.0f);
    }
    draw.flush();
}

void SkirmishScene::draw_map(Draw& draw, const Viewport& view, float blend, float seconds) {
    const Vec2 field = world_.field();
    const auto width = static_cast<int>(256.0f * view.scale);
    map_.resize({width, std::max(static_cast<int>(static_cast<float>(width) * field.y / field.x), 1)});
    map_.bind();
    const float ground[4] = {0.034f, 0.043f, 0.058f, 1.0f};
    glClearNamedFramebufferfv(map_.framebuffer(), GL_COLOR, 0, ground);
    draw.begin({field * 0.5f, field.y}, map_.extent(), seconds);
    use(unit_, blend);
    glDrawArraysInstanced(GL_TRIANGLES, 0, 6, static_cast<GLsizei>(world_.unit_count()));
    const float scale = camera_.units_per_pixel(view.picture);
    const Vec2 half = {0.5f * scale * (view.high.x - view.low.x), 0.5f * scale * (view.high.y - view.low.y)};
    draw.frame(camera_.center, half, 0.0f, 1.5f * draw.camera().units_per_pixel(map_.extent()),
               {1.0f, 1.0f, 1.0f, 0.75f});
    draw.flush();
}

void SkirmishScene::map_clicked(Vec2 share) {
    const Vec2 field = world_.field();
    camera_in_hand_ = true;
    wanted_.center = {share.x * field.x, (1.0f - share.y) * field.y};
}

void SkirmishScene::label(ImDrawList& list, const Viewport& view) {
    if (view.picture.empty()) return;
    label_decision(list, view);
    const ImFont* strong = theme::fonts().strong;
    const ImFont* small = theme::fonts().small;
    // The balance of the two armies, in the middle of the top edge.
    const float middle = 0.5f * (view.low.x + view.high.x);
    const float half = std::min(theme::px(250.0f), 0.36f * (view.high.x - view.low.x));
    const float y = theme::px(52.0f);
    list.AddRectFilled(ImVec2(middle - half - theme::px(18.0f), theme::px(16.0f)),
                       ImVec2(middle + half + theme::px(18.0f), y + theme::px(16.0f)), theme::kPanel, theme::px(12.0f));
    const float bar = theme::px(5.0f);
    const auto total = static_cast<float>(std::max(tally_[0] + tally_[1], 1));
    const float split = middle - half + 2.0f * half * static_cast<float>(tally_[0]) / total;
    list.AddRectFilled(ImVec2(middle - half, y), ImVec2(split - theme::px(1.5f), y + bar), theme::team(0), bar * 0.5f);
    list.AddRectFilled(ImVec2(split + theme::px(1.5f), y), ImVec2(middle + half, y + bar), theme::team(1), bar * 0.5f);
    for (int team = 0; team < 2; ++team) {
        const auto slot = static_cast<std::size_t>(team);
        const std::string count = std::to_string(tally_[slot]);
        const std::string note = std::string(team == 0 ? "Azure" : "Amber") +
                                 (world_.scripted_team() == team ? ", scripted" : "") + "  \xc2\xb7  " +
                                 std::to_string(tally_[slot + 2]) + " fallen";
        const float count_width = strong->CalcTextSizeA(strong->FontSize, FLT_MAX, 0.0f, count.c_str()).x;
        const float note_width = small->CalcTextSizeA(small->FontSize, FLT_MAX, 0.0f, note.c_str()).x;
        const float x = team == 0 ? middle - half : middle + half - count_width;
        list.AddText(strong, strong->FontSize, ImVec2(x, y - strong->FontSize - theme::px(4.0f)), theme::team(team),
                     count.c_str());
        const float note_x = team == 0 ? middle - half + count_width + theme::px(10.0f)
                                       : middle + half - count_width - note_width - theme::px(10.0f);
        list.AddText(small, small->FontSize, ImVec2(note_x, y - small->FontSize - theme::px(5.0f)), theme::kTextSoft,
                     note.c_str());
    }
}

void SkirmishScene::label_decision(ImDrawList& list, const Viewport& view) const {
    if (!show_tree_ || !thoughts_.valid || selected_unit_.health <= 0 || decision_.empty()) return;
    const ImFont* font = theme::fonts().strong;
    const Vec2 top = seen_.to_pixel(shown_at_ + Vec2{0.0f, fan_radius_}, view.picture);
    const ImVec2 size = font->CalcTextSizeA(font->FontSize, FLT_MAX, 0.0f, decision_.c_str());
    const ImVec2 low(top.x - 0.5f * size.x - theme::px(11.0f), top.y - size.y - theme::px(16.0f));
    const ImVec2 high(low.x + size.x + theme::px(22.0f), low.y + size.y + theme::px(9.0f));
    list.AddRectFilled(low, high, theme::kPanel, theme::px(8.0f));
    list.AddRect(low, high, theme::with_alpha(theme::team(selected_unit_.team), 0.55f), theme::px(8.0f));
    list.AddText(font, font->FontSize, ImVec2(low.x + theme::px(11.0f), low.y + theme::px(4.0f)), theme::kText,
                 decision_.c_str());
}

void SkirmishScene::describe_selected(std::vector<std::pair<std::string, std::string>>& rows) {
    const WorldUnit& unit = selected_unit_;
    rows.emplace_back("", std::string(kind_name(unit.kind)) + " " + std::to_string(selected_));
    rows.emplace_back("Army", unit.team == 0 ? "Azure" : "Amber");
    rows.emplace_back("Health", std::to_string(unit.health) + " of " + std::to_string(full_health(unit.kind)));
    rows.emplace_back("Cooldown, ability", std::to_string(unit.cooldown) + ", " + std::to_string(unit.ability));
}

void SkirmishScene::controls() {
    bool scripted = world_.scripted_team() == 1;
    if (theme::toggle("Amber follows a plain script", &scripted)) world_.set_scripted_team(scripted ? 1 : -1);
    theme::toggle("Planned moves", &show_plans_);
    theme::toggle("Shots and abilities", &show_deeds_);
    theme::toggle("Tree of the selected agent", &show_tree_);
    theme::toggle("Glow of the armies", &show_glow_);
    theme::hint("Drag pans, the wheel zooms, a click selects. Space pauses, the right arrow takes one step.");
}

}  // namespace augur::demo
