// Connect Four: play against the planner and see what it thinks; further boards beside it play by themselves.
#pragma once

#include <vector>

#include "scenes/connect_four_board.h"
#include "scenes/scene.h"

namespace augur::demo {

class ConnectFourScene final : public Scene {
  public:
    explicit ConnectFourScene(const SceneSetup& setup) : setup_(setup) {}

    bool start(std::string& error) override;
    void reset(std::uint32_t agents, std::uint64_t seed) override;
    PlannerNeeds needs() const override;
    bool bind(PlannerSession& session) override;
    double ticks_per_second() const override { return 1.6; }
    void planned() override { plan_fresh_ = true; }
    bool tick() override;
    void handle(const Pointer& pointer, const Viewport& view) override;
    void draw(Draw& draw, const Viewport& view, float blend, float seconds, const Target& picture) override;
    void label(ImDrawList& list, const Viewport& view) override;
    std::uint32_t selected() const override { return 0; }
    bool features(std::vector<float>& numbers) const override;
    void think(const Thoughts& thoughts, const char*) override { thoughts_ = thoughts; }
    void describe_selected(std::vector<std::pair<std::string, std::string>>& rows) override;
    void controls() override;

  private:
    struct Game {
        ConnectFourBoard board;
        int ticks_since_end = 0;
        std::uint32_t number = 0;
        std::uint32_t wins[2] = {0, 0};
    };

    bool person_to_move() const;
    void begin_game(std::size_t index);
    bool play(std::size_t index, int column);
    void publish(std::size_t index);
    Camera camera(const Viewport& view) const;
    float policy_height(std::size_t column) const;
    void draw_policy(Draw& draw) const;
    void draw_board(Draw& draw, const Game& game, Vec2 low, float cell, float drop, bool detailed) const;

    SceneSetup setup_;
    GlProgram ground_;
    std::vector<Game> games_;
    std::vector<std::uint64_t> own_;     // [A], the planner reads it
    std::vector<std::uint64_t> other_;   // [A], the planner reads it
    std::vector<std::int32_t> actions_;  // [A], the planner writes it
    Thoughts thoughts_;
    bool plan_fresh_ = false;
    bool person_plays_ = false;
    bool show_thoughts_ = true;
    int hovered_column_ = -1;
    int clicked_column_ = -1;
};

}  // namespace augur::demo
