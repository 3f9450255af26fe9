// What the selected unit thinks, drawn over the world: its root as a fan around it, its tree as paths, the line it
// expects.
#include <algorithm>
#include <cmath>

#include "scenes/skirmish.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

constexpr std::int32_t kMoveCount = 8;
constexpr float kEighthTurn = 0.78539816f;

Color value_color(float share) {
    const Color low = {0.52f, 0.42f, 0.80f, 1.0f};
    const Color high = {0.47f, 0.92f, 0.80f, 1.0f};
    return mix(low, high, std::clamp(share, 0.0f, 1.0f));
}

}  // namespace

Vec2 SkirmishScene::stride(std::int32_t action) const {
    if (action < 0 || action >= kMoveCount) return {};
    const float angle = static_cast<float>(action) * kEighthTurn;
    return Vec2{std::cos(angle), std::sin(angle)} * stride_length(selected_unit_.kind, action % 2 == 1);
}

void SkirmishScene::draw_thoughts(Draw& draw, Vec2 at) const {
    if (!thoughts_.valid || thoughts_.visits.size() < static_cast<std::size_t>(kMoveCount)) return;
    std::uint32_t most = 1;
    float lowest = 1.0f;
    float highest = -1.0f;
    for (std::size_t action = 0; action < thoughts_.visits.size(); ++action) {
        if (thoughts_.visits[action] == 0) continue;
        most = std::max(most, thoughts_.visits[action]);
        lowest = std::min(lowest, thoughts_.values[action]);
        highest = std::max(highest, thoughts_.values[action]);
    }
    const float range = std::max(highest - lowest, 1e-4f);
    const float pixels = draw.camera().units_per_pixel(draw.picture());
    const float inner = std::max(kUnitRadius * 2.1f, 12.0f * pixels);
    const float longest = fan_radius_ - inner;
    draw.disc(at, inner + longest, {0.01f, 0.015f, 0.03f, 0.50f}, 0.35f * longest);
    draw.ring(at, inner + longest, 0.0f, {1.0f, 1.0f, 1.0f, 0.14f}, 1.0f);
    for (std::int32_t action = 0; action < kMoveCount; ++action) {
        const auto slot = static_cast<std::size_t>(action);
        if (thoughts_.visits[slot] == 0) continue;
        const float share = std::sqrt(static_cast<float>(thoughts_.visits[slot]) / static_cast<float>(most));
        const Color color = value_color((thoughts_.values[slot] - lowest) / range);
        const bool chosen = action == thoughts_.result.action;
        draw.wedge(at, inner, inner + longest * share, static_cast<float>(action) * kEighthTurn, 0.36f * kEighthTurn,
                   color.with_alpha(chosen ? 0.95f : 0.50f));
    }
    // A mark in each direction, as far out as its wedge would reach if the search had followed the model's policy.
    const std::size_t told = std::min<std::size_t>(thoughts_.priors.size(), kMoveCount);
    const float likeliest =
        told > 0 ? std::max(*std::max_element(thoughts_.priors.begin(), thoughts_.priors.end()), 1e-6f) : 1.0f;
    for (std::size_t slot = 0; slot < told; ++slot) {
        if (thoughts_.priors[slot] <= 0.0f) continue;
        const float reach = inner + longest * std::sqrt(thoughts_.priors[slot] / likeliest);
        const float half_width = std::max(1.25f * pixels, 0.03f);
        draw.wedge(at, reach - half_width, reach + half_width, static_cast<float>(slot) * kEighthTurn,
                   0.40f * kEighthTurn, theme::kModelColor);
    }
}

void SkirmishScene::draw_tree(Draw& draw, Vec2 at, float strength) const {
    // Every branch with a few visits as a thin path, then the line it expects as a bright one.
    std::vector<Vec2> places(thoughts_.tree.size(), at);
    const float root_visits =
        thoughts_.tree.empty() ? 1.0f : std::max(static_cast<float>(thoughts_.tree.front().visits), 1.0f);
    for (std::size_t i = 1; i < thoughts_.tree.size(); ++i) {
        const augur_tree_node& node = thoughts_.tree[i];
        if (node.parent >= i) continue;
        places[i] = places[node.parent] + stride(node.action);
        if (node.visits < 2 || length(places[i] - places[node.parent]) <= 0.0f) continue;
        const float share = static_cast<float>(node.visits) / root_visits;
        draw.line(places[node.parent], places[i], 0.05f + 0.16f * share,
                  Color{0.72f, 0.90f, 1.0f, strength * std::clamp(0.18f + 1.2f * share, 0.0f, 0.6f)}, 1.0f);
    }
    Vec2 last = at;
    float fade = 0.95f;
    for (const std::uint32_t index : thoughts_.best_line) {
        const Vec2 place = places[index];
        const bool moves = length(place - last) > 0.0f;
        if (moves) draw.line(last, place, 0.10f, {1.0f, 1.0f, 1.0f, fade * strength}, 2.2f);
        if (moves) {
            draw.disc(place, 0.13f, {1.0f, 1.0f, 1.0f, fade * strength});
        } else {
            draw.ring(place, 0.24f, 0.07f, {1.0f, 0.95f, 0.6f, fade * strength}, 1.5f);
        }
        last = place;
        fade = std::max(fade - 0.09f, 0.25f);
    }
}

}  // namespace augur::demo
