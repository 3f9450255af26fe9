#include "scenes/connect_four.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "draw/shaders.h"
#include "ui/theme.h"

namespace augur::demo {
namespace {

constexpr float kViewHeight = 11.8f;  // board, the thoughts above it, and air
constexpr Vec2 kViewCenter = {3.5f, 3.75f};
constexpr int kTicksBetweenGames = 4;
constexpr std::size_t kSideColumns = 3;
constexpr std::size_t kSideRows = 8;
constexpr float kSmallCell = 0.165f;
constexpr float kThoughtsHeight = 1.7f;

std::uint32_t mixed(std::uint64_t seed, std::uint64_t index, std::uint64_t number) {
    std::uint64_t x = seed * 0x9e3779b97f4a7c15ull + index * 0x10001ull + number * 0x3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return static_cast<std::uint32_t>((x ^ (x >> 31)) >> 32);
}

const char* player_name(int player) {
    return player == 0 ? "Azure" : "Amber";
}

// A free fall that ends with one small bounce.
float fall(float t) {
    t = std::clamp(t * 2.0f, 0.0f, 1.0f);
    if (t < 0.78f) return (t / 0.78f) * (t / 0.78f);
    const float u = (t - 0.78f) / 0.22f;
    return 1.0f - 0.05f * 4.0f * u * (1.0f - u);
}

}  // namespace

bool ConnectFourScene::start(std::string& error) {
    ground_ = make_program({"ground.vert", "ground.frag"}, error);
    return ground_.name() != 0;
}

void ConnectFourScene::reset(std::uint32_t agents, std::uint64_t seed) {
    setup_.agents = std::max(agents, 1u);
    setup_.seed = seed;
    person_plays_ = setup_.interactive;
    games_.assign(setup_.agents, {});
    own_.assign(setup_.agents, 0);
    other_.assign(setup_.agents, 0);
    actions_.assign(setup_.agents, AUGUR_ACTION_NONE);
    thoughts_ = {};
    clicked_column_ = -1;
    for (std::size_t i = 0; i < games_.size(); ++i)
        begin_game(i);
}

PlannerNeeds ConnectFourScene::needs() const {
    // One board is worth one large tree; many boards are a forest.
    return {"connect_four", setup_.agents, setup_.agents == 1 ? AUGUR_SEARCH_TREE : AUGUR_SEARCH_FOREST,
            AUGUR_CARRY_OVER_SUBTREE};
}

bool ConnectFourScene::bind(PlannerSession& session) {
    augur_buffer_id own{};
    augur_buffer_id other{};
    augur_buffer_id actions{};
    return session.register_host(own_.data(), own_.size() * sizeof(own_[0]), AUGUR_ACCESS_READ, own) &&
           session.register_host(other_.data(), other_.size() * sizeof(other_[0]), AUGUR_ACCESS_READ, other) &&
           session.register_host(actions_.data(), actions_.size() * sizeof(actions_[0]), AUGUR_ACCESS_WRITE, actions) &&
           session.bind("own", own, AUGUR_FORMAT_U64, 0, sizeof(own_[0])) &&
           session.bind("other", other, AUGUR_FORMAT_U64, 0, sizeof(other_[0])) &&
           session.bind_actions(actions, AUGUR_FORMAT_I32, 0, sizeof(actions_[0]));
}

void ConnectFourScene::publish(std::size_t index) {
    own_[index] = games_[index].board.own;
    other_[index] = games_[index].board.other;
    plan_fresh_ = false;
}

void ConnectFourScene::begin_game(std::size_t index) {
    Game& game = games_[index];
    game.board = {};
    game.ticks_since_end = 0;
    ++game.number;
    // Where nobody plays by hand the first stone falls anywhere, so that no two games are alike.
    if (!person_plays_ || index > 0) {
        const std::uint32_t opening = index == 0 ? 1 : 2 + mixed(setup_.seed, index, game.number) % 3;
        for (std::uint32_t i = 0; i < opening; ++i) {
            game.board.drop(static_cast<int>(mixed(setup_.seed + i, index, game.number) % kColumns));
        }
    }
    publish(index);
}

bool ConnectFourScene::person_to_move() const {
    return person_plays_ && games_[0].board.player_to_move() == 0 && !games_[0].board.over();
}

bool ConnectFourScene::play(std::size_t index, int column) {
    Game& game = games_[index];
    const int mover = game.board.player_to_move();
    if (!game.board.drop(column)) return false;
    if (game.board.won()) ++game.wins[mover];
    publish(index);
    return true;
}

bool ConnectFourScene::tick() {
    // The person's turn holds all boards still: they share the planner's frames.
    if (person_to_move() && !games_[0].board.playable(clicked_column_)) return false;
    for (std::size_t i = 0; i < games_.size(); ++i) {
        Game& game = games_[i];
        if (game.board.over()) {
            const bool wait = i == 0 && person_plays_ ? clicked_column_ < 0 : game.ticks_since_end < kTicksBetweenGames;
            ++game.ticks_since_end;
            if (!wait) begin_game(i);
        } else if (i == 0 && person_to_move()) {
            play(0, clicked_column_);
        } else {
            play(i, actions_[i]);
        }
    }
    clicked_column_ = -1;
    return true;
}

Camera ConnectFourScene::camera(const Viewport& view) const {
    Camera camera;
    const float free_height = std::max(view.high.y - view.low.y, 1.0f);
    camera.view_height = kViewHeight * static_cast<float>(view.picture.height) / free_height;
    const float scale = camera.units_per_pixel(view.picture);
    const Vec2 middle = (view.low + view.high) * 0.5f;
    camera.center = {kViewCenter.x - (middle.x - 0.5f * static_cast<float>(view.picture.width)) * scale,
                     kViewCenter.y + (middle.y - 0.5f * static_cast<float>(view.picture.height)) * scale};
    return camera;
}

void ConnectFourScene::handle(const Pointer& pointer, const Viewport& view) {
    hovered_column_ = -1;
    if (!pointer.over_world || view.picture.empty()) return;
    const Vec2 at = camera(view).to_world(pointer.position, view.picture);
    if (at.x < 0.0f || at.x >= static_cast<float>(kColumns) || at.y < -0.5f || at.y > 8.5f) return;
    hovered_column_ = static_cast<int>(at.x);
    if (pointer.clicked) clicked_column_ = hovered_column_;
}

void ConnectFourScene::draw_board(Draw& draw, const Game& game, Vec2 low, float cell, float drop, bool detailed) const {
    const ConnectFourBoard& board = game.board;
    const Vec2 half = {0.5f * kColumns * cell, 0.5f * kRows * cell};
    const Vec2 middle = low + half;
    const float margin = 0.22f * cell;
    if (detailed)
        draw.box(middle + Vec2{0.0f, -0.15f}, half + Vec2{margin, margin}, 0.4f * cell, {0.0f, 0.0f, 0.0f, 0.55f},
                 0.35f);
    draw.box(middle, half + Vec2{margin, margin}, 0.42f * cell, {0.105f, 0.135f, 0.185f, 1.0f});
    if (detailed) {
        draw.frame(middle, half + Vec2{margin, margin}, 0.42f * cell, 0.025f, {0.55f, 0.68f, 0.85f, 0.30f});
        if (hovered_column_ >= 0 && person_to_move() && board.playable(hovered_column_)) {
            draw.box({low.x + (static_cast<float>(hovered_column_) + 0.5f) * cell, middle.y},
                     {0.46f * cell, half.y + 0.08f * cell}, 0.3f * cell, theme::kTeam[0].with_alpha(0.10f));
        }
    }
    const std::uint64_t line = board.winning_line();
    for (int column = 0; column < kColumns; ++column) {
        for (int row = 0; row < kRows; ++row) {
            Vec2 at = {low.x + (static_cast<float>(column) + 0.5f) * cell,
                       low.y + (static_cast<float>(row) + 0.5f) * cell};
            draw.disc(at, 0.41f * cell, {0.035f, 0.046f, 0.066f, 1.0f});
            if (!board.occupied(column, row)) continue;
            const bool newest = column == board.last_column && row == board.last_row;
            if (newest) at.y += (1.0f - fall(drop)) * (static_cast<float>(kRows - row) * cell);
            const Color color = theme::kTeam[board.owner(column, row)];
            const bool dimmed = line != 0 && ((line >> (7 * column + row)) & 1) == 0;
            const float strength = dimmed ? 0.32f : 1.0f;
            const Color dark = {color.r * 0.62f, color.g * 0.62f, color.b * 0.62f, strength};
            draw.disc(at, 0.385f * cell, detailed ? dark : color.with_alpha(strength));
            if (!detailed) continue;
            draw.disc(at + Vec2{0.0f, 0.02f * cell}, 0.325f * cell, color.with_alpha(strength));
            draw.ring(at + Vec2{0.0f, 0.02f * cell}, 0.235f * cell, 0.035f * cell, {1.0f, 1.0f, 1.0f, 0.16f * strength},
                      0.5f);
            if (newest && line == 0) draw.ring(at, 0.41f * cell, 0.05f * cell, {1.0f, 1.0f, 1.0f, 0.85f}, 1.5f);
        }
    }
    if (line != 0 && detailed) {
        int first = std::countr_zero(line);
        int last = 63 - std::countl_zero(line);
        const auto center = [&](int bit) {
            return Vec2{low.x + (static_cast<float>(bit / 7) + 0.5f) * cell,
                        low.y + (static_cast<float>(bit % 7) + 0.5f) * cell};
        };
        draw.line(center(first), center(last), 0.10f * cell, {1.0f, 1.0f, 1.0f, 0.9f * std::clamp(drop, 0.0f, 1.0f)});
    }
}

void ConnectFourScene::draw(Draw& draw, const Viewport& view, float blend, float seconds, const Target& picture) {
    const Camera seen = camera(view);
    picture.bind();
    draw.begin(seen, view.picture, seconds);
    ground_.use();
    glUniform4f(ground_.uniform("field"), -1000.0f, -1000.0f, 1000.0f, 1000.0f);
    glUniform1f(ground_.uniform("grid_step"), 0.5f);
    glUniform1f(ground_.uniform("glow_amount"), 0.0f);
    glBindTextureUnit(0, 0);
    glDrawArrays(GL_TRIANGLES, 0, 3);

    draw_board(draw, games_[0], {0.0f, 0.0f}, 1.0f, blend, true);
    if (person_to_move() && games_[0].board.playable(hovered_column_)) {
        draw.disc({static_cast<float>(hovered_column_) + 0.5f, 6.62f}, 0.30f, theme::kTeam[0].with_alpha(0.55f));
    }
    if (show_thoughts_ && thoughts_.valid && thoughts_.visits.size() == kColumns) {
        const std::uint32_t most = std::max(*std::max_element(thoughts_.visits.begin(), thoughts_.visits.end()), 1u);
        const Color color = theme::kTeam[games_[0].board.player_to_move()];
        for (int column = 0; column < kColumns; ++column) {
            const auto slot = static_cast<std::size_t>(column);
            if (thoughts_.visits[slot] == 0) continue;
            const float share = static_cast<float>(thoughts_.visits[slot]) / static_cast<float>(most);
            const float height = std::max(kThoughtsHeight * share, 0.06f);
            const bool chosen = column == thoughts_.result.action;
            draw.box({static_cast<float>(column) + 0.5f, 7.0f + 0.5f * height}, {0.30f, 0.5f * height}, 0.08f,
                     color.with_alpha(chosen ? 0.95f : 0.38f));
        }
        draw_policy(draw);
    }
    for (std::size_t i = 1; i < games_.size(); ++i) {
        const std::size_t place = i - 1;
        const std::size_t side = place % 2;
        const std::size_t row = (place / 2) / kSideColumns;
        const std::size_t column = (place / 2) % kSideColumns;
        if (row >= kSideRows) break;
        const float outward = 0.95f + static_cast<float>(column) * 1.36f;
        const float x = side == 0 ? -outward - 7.0f * kSmallCell : 7.0f + outward;
        draw_board(draw, games_[i], {x, 7.55f - static_cast<float>(row) * 1.24f}, kSmallCell, blend, false);
    }
    draw.flush();
}

float ConnectFourScene::policy_height(std::size_t column) const {
    if (thoughts_.priors.size() != kColumns) return 0.0f;
    const float likeliest = std::max(*std::max_element(thoughts_.priors.begin(), thoughts_.priors.end()), 1e-6f);
    return kThoughtsHeight * thoughts_.priors[column] / likeliest;
}

void ConnectFourScene::draw_policy(Draw& draw) const {
    // A mark over each column, as high as its bar would be if the search had followed the model's policy.
    for (int column = 0; column < kColumns; ++column) {
        const float height = policy_height(static_cast<std::size_t>(column));
        if (height <= 0.0f) continue;
        draw.box({static_cast<float>(column) + 0.5f, 7.0f + height}, {0.37f, 0.03f}, 0.03f, theme::kModelColor);
    }
}

void ConnectFourScene::label(ImDrawList& list, const Viewport& view) {
    if (view.picture.empty() || games_.empty()) return;
    const Camera seen = camera(view);
    const ImFont* small = theme::fonts().small;
    const ImFont* strong = theme::fonts().strong;
    const ImFont* big = theme::fonts().figure;
    const auto centered = [&](const ImFont* font, Vec2 world, const std::string& text, ImU32 color) {
        const Vec2 at = seen.to_pixel(world, view.picture);
        const ImVec2 size = font->CalcTextSizeA(font->FontSize, FLT_MAX, 0.0f, text.c_str());
        list.AddText(font, font->FontSize, ImVec2(at.x - 0.5f * size.x, at.y - 0.5f * size.y), color, text.c_str());
    };
    const ConnectFourBoard& board = games_[0].board;
    std::string status;
    if (board.won()) {
        const int winner = 1 - board.player_to_move();
        status = person_plays_ ? (winner == 0 ? "You win \xe2\x80\x93 click for another game"
                                              : "Augur wins \xe2\x80\x93 click for another game")
                               : std::string(player_name(winner)) + " wins";
    } else if (board.full()) {
        status = person_plays_ ? "A draw \xe2\x80\x93 click for another game" : "A draw";
    } else if (person_to_move()) {
        status = "Your move";
    } else {
        status = person_plays_ ? "Augur is thinking" : std::string(player_name(board.player_to_move())) + " to move";
    }
    const int named = board.won() ? 1 - board.player_to_move() : board.player_to_move();
    centered(big, {3.5f, -0.85f}, status, theme::team(named));
    centered(small, {3.5f, -1.35f},
             "games won   Azure " + std::to_string(games_[0].wins[0]) + "   Amber " + std::to_string(games_[0].wins[1]),
             theme::kTextSoft);

    if (!show_thoughts_ || !thoughts_.valid || thoughts_.visits.size() != kColumns) return;
    const std::uint32_t most = std::max(*std::max_element(thoughts_.visits.begin(), thoughts_.visits.end()), 1u);
    for (int column = 0; column < kColumns; ++column) {
        const auto slot = static_cast<std::size_t>(column);
        if (thoughts_.visits[slot] == 0) continue;
        const float share = static_cast<float>(thoughts_.visits[slot]) / static_cast<float>(most);
        const bool chosen = column == thoughts_.result.action;
        std::array<char, 16> value{};
        std::snprintf(value.data(), value.size(), "%+.2f", static_cast<double>(thoughts_.values[slot]));
        const float top = 7.0f + std::max({kThoughtsHeight * share, policy_height(slot), 0.06f});
        centered(chosen ? strong : small, {static_cast<float>(column) + 0.5f, top + 0.40f}, value.data(),
                 chosen ? theme::kText : theme::kTextSoft);
        centered(small, {static_cast<float>(column) + 0.5f, top + 0.17f}, std::to_string(thoughts_.visits[slot]),
                 theme::kTextFaint);
    }
}

bool ConnectFourScene::features(std::vector<float>& numbers) const {
    // One number a cell, row after row from the bottom: +1 a stone of the player to move, -1 of the other.
    numbers.clear();
    const ConnectFourBoard& board = games_[0].board;
    for (int row = 0; row < kRows; ++row) {
        for (int column = 0; column < kColumns; ++column) {
            const bool own = board.occupied(column, row) && board.owner(column, row) == board.player_to_move();
            numbers.push_back(own ? 1.0f : board.occupied(column, row) ? -1.0f : 0.0f);
        }
    }
    return true;
}

void ConnectFourScene::describe_selected(std::vector<std::pair<std::string, std::string>>& rows) {
    if (games_.empty()) return;
    const ConnectFourBoard& board = games_[0].board;
    rows.emplace_back("", std::string(player_name(board.player_to_move())) + " to move");
    rows.emplace_back("Stones on the board", std::to_string(board.stones()));
    rows.emplace_back("Boards played at once", std::to_string(games_.size()));
}

void ConnectFourScene::controls() {
    if (theme::toggle("Play Azure yourself", &person_plays_)) clicked_column_ = -1;
    theme::toggle("Thoughts over the columns", &show_thoughts_);
    theme::hint("Click a column to play. Space pauses, the right arrow takes one step.");
}

}  // namespace augur::demo
