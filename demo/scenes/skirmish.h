// The battle: thousands of units, every one of them planned every frame.
#pragma once

#include "scenes/scene.h"
#include "scenes/skirmish_world.h"

namespace augur::demo {

class SkirmishScene final : public Scene {
  public:
    explicit SkirmishScene(const SceneSetup& setup) : setup_(setup) {}

    bool start(std::string& error) override;
    void reset(std::uint32_t agents, std::uint64_t seed) override;
    PlannerNeeds needs() const override;
    bool bind(PlannerSession& session) override;
    double ticks_per_second() const override { return 10.0; }
    void planned() override;
    bool tick() override;
    bool plays_without_plans() const override { return true; }
    bool has_urgency() const override { return true; }
    void take_urgency(const UrgencyCurve& curve) override { urgency_ = curve; }
    void compose() override;
    void handle(const Pointer& pointer, const Viewport& view) override;
    void draw(Draw& draw, const Viewport& view, float blend, float seconds, const Target& picture) override;
    void label(ImDrawList& list, const Viewport& view) override;
    std::uint32_t selected() const override { return selected_; }
    bool features(std::vector<float>& numbers) const override;
    void think(const Thoughts& thoughts, const char* decision) override {
        thoughts_ = thoughts;
        decision_ = decision;
    }
    void describe_selected(std::vector<std::pair<std::string, std::string>>& rows) override;
    const Target* map() const override { return map_.extent().empty() ? nullptr : &map_; }
    void map_clicked(Vec2 share) override;
    void controls() override;

  private:
    static constexpr float kUnitRadius = 0.42f;  // world units

    bool bind_urgency(PlannerSession& session);
    void frame_camera();
    void choose_interesting_unit();
    void use(const GlProgram& program, float blend) const;
    void draw_ground(Draw& draw, const Viewport& view, float blend, float seconds, const Target& picture);
    void label_decision(ImDrawList& list, const Viewport& view) const;
    void draw_map(Draw& draw, const Viewport& view, float blend, float seconds);
    void draw_thoughts(Draw& draw, Vec2 at) const;
    void draw_tree(Draw& draw, Vec2 at, float strength) const;
    Vec2 stride(std::int32_t action) const;

    SceneSetup setup_;
    SkirmishWorld world_;
    UrgencyCurve urgency_;
    bool by_urgency_ = false;  // the planner divides by it
    GlProgram ground_;
    GlProgram glow_;
    GlProgram unit_;
    GlProgram arrow_;
    GlProgram deed_;
    Target glow_target_{GL_RGBA16F};
    Target map_{GL_RGBA8};
    Camera wanted_;  // where the camera eases to; the center is that of the free part of the picture
    Camera camera_;
    Camera seen_;  // as drawn last
    bool camera_placed_ = false;
    bool camera_in_hand_ = false;
    float last_seconds_ = 0.0f;
    std::uint32_t selected_ = 0;
    bool selected_by_hand_ = false;
    std::uint64_t chosen_at_tick_ = 0;
    WorldUnit selected_unit_{};
    WorldUnit selected_before_{};
    Vec2 shown_at_;  // where the selected unit is drawn
    float fan_radius_ = 0.0f;
    Thoughts thoughts_;
    std::string decision_;  // name of the action the selected unit chose
    std::array<std::int32_t, 4> tally_{};
    bool show_plans_ = true;
    bool show_deeds_ = true;
    bool show_tree_ = true;
    bool show_glow_ = true;
};

}  // namespace augur::demo
