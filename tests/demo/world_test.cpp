// The demo's world moves on in compute shaders. Step for step it must do what the searched rules say, or the units
// would plan for another game than the one they are in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/gl.h"
#include "app/surface.h"
#include "scenes/skirmish_world.h"
#include "support/skirmish_world.h"

namespace augur::test {
namespace {

using R = rules::Skirmish;

constexpr std::uint32_t kCapacity = 8192;  // gives a field whose edges nobody reaches
constexpr std::size_t kUnits = 220;        // of which these live
constexpr int kTicks = 20;                 // fewer than the fallen wait

class Dice {
  public:
    explicit Dice(std::uint64_t seed) : state_(seed) {}
    int below(int n) {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(n));
    }

  private:
    std::uint64_t state_;
};

class DemoWorld : public testing::Test {
  protected:
    void SetUp() override {
        std::string error;
        surface_ = demo::make_headless({64, 64}, error);
        if (!surface_) GTEST_SKIP() << error;
        demo::GlInfo info;
        ASSERT_TRUE(demo::load_gl(surface_->loader(), info, error)) << error;
        world_ = std::make_unique<demo::SkirmishWorld>();
        ASSERT_TRUE(world_->start(kCapacity, error)) << error;
        world_->deploy(kCapacity, 1);
        world_->set_solid_bodies(false);
    }
    void TearDown() override {
        world_.reset();
        surface_.reset();
    }

    // A dense fight in the middle of the field; everybody else is gone. The oracle holds the same units.
    void place(SkirmishWorld& oracle, Dice& dice, int half_width = 6) {
        std::vector<demo::WorldUnit> units = world_->read_all();
        for (demo::WorldUnit& unit : units)
            unit.health = 0;
        const auto middle_x = static_cast<std::int32_t>(world_->field().x) / 2 * R::kScale;
        const auto middle_y = static_cast<std::int32_t>(world_->field().y) / 2 * R::kScale;
        oracle.bounded = false;
        oracle.units.resize(kUnits);
        for (std::size_t i = 0; i < kUnits; ++i) {
            SkirmishUnit& unit = oracle.units[i];
            unit.x = middle_x + dice.below(2 * half_width * R::kScale) - half_width * R::kScale;
            unit.y = middle_y + dice.below(2 * half_width * R::kScale) - half_width * R::kScale;
            unit.kind = dice.below(3);
            unit.team = dice.below(2);
            unit.health = 1 + dice.below(R::kUnits[unit.kind].full_health);
            unit.cooldown = dice.below(3);
            unit.ability = dice.below(3) == 0 ? 0 : dice.below(R::kAbilityPeriod + 1);
            demo::WorldUnit& shown = units[i];
            shown.position[0] = static_cast<float>(unit.x) / static_cast<float>(R::kScale);
            shown.position[1] = static_cast<float>(unit.y) / static_cast<float>(R::kScale);
            shown.kind = unit.kind;
            shown.team = unit.team;
            shown.health = unit.health;
            shown.cooldown = unit.cooldown;
            shown.ability = unit.ability;
        }
        glNamedBufferSubData(world_->units().name(), 0, static_cast<GLsizeiptr>(units.size() * sizeof(demo::WorldUnit)),
                             units.data());
    }

    // A random action, but none whose outcome the rules leave to the order in which neighbours are seen.
    static int action_for(const SkirmishWorld& oracle, std::size_t unit, Dice& dice) {
        const int action =
            dice.below(3) == 0 ? dice.below(R::kMoveSouthEast + 1) : R::kHold + dice.below(R::kActionCount - R::kHold);
        if (action == R::kFocus && two_weakest(oracle, unit)) return R::kAttack;
        if (action == R::kRetreat && !enemy_in_sight(oracle, unit)) return R::kHold;
        return action;
    }

    static std::int64_t squared(const SkirmishUnit& a, const SkirmishUnit& b) {
        const std::int64_t dx = a.x - b.x;
        const std::int64_t dy = a.y - b.y;
        return dx * dx + dy * dy;
    }

    static bool two_weakest(const SkirmishWorld& oracle, std::size_t unit) {
        const SkirmishUnit& me = oracle.units[unit];
        const std::int64_t reach = R::kUnits[me.kind].reach;
        std::vector<int> health;
        for (std::size_t other = 0; other < oracle.units.size(); ++other) {
            const SkirmishUnit& them = oracle.units[other];
            const bool friends = them.team == me.team;
            if (other == unit || them.health <= 0 || friends != (me.kind == R::kHealer) ||
                squared(me, them) / 16 > reach * reach / 16)
                continue;
            if (friends && them.health == R::kUnits[them.kind].full_health) continue;
            health.push_back(them.health);
        }
        std::sort(health.begin(), health.end());
        return health.size() > 1 && health[0] == health[1];
    }

    static bool enemy_in_sight(const SkirmishWorld& oracle, std::size_t unit) {
        return std::any_of(oracle.units.begin(), oracle.units.end(), [&](const SkirmishUnit& them) {
            return them.health > 0 && them.team != oracle.units[unit].team &&
                   squared(them, oracle.units[unit]) < 4000LL * 4000LL;
        });
    }

    std::unique_ptr<demo::Surface> surface_;
    std::unique_ptr<demo::SkirmishWorld> world_;
};

TEST_F(DemoWorld, StepsLikeTheRulesThatAreSearched) {
    int deeds[R::kActionCount] = {};
    int fallen = 0;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        Dice dice(seed);
        SkirmishWorld oracle;
        place(oracle, dice);
        for (int tick = 0; tick < kTicks; ++tick) {
            std::vector<int> actions(kUnits);
            for (std::size_t i = 0; i < kUnits; ++i) {
                actions[i] = action_for(oracle, i, dice);
                if (oracle.units[i].health > 0 && oracle.possible(i, actions[i])) ++deeds[actions[i]];
            }
            glNamedBufferSubData(world_->actions().name(), 0, static_cast<GLsizeiptr>(actions.size() * sizeof(int)),
                                 actions.data());
            oracle.advance(actions);
            world_->step();
            const std::vector<demo::WorldUnit> units = world_->read_all();
            for (std::size_t i = 0; i < kUnits; ++i) {
                const SkirmishUnit& wanted = oracle.units[i];
                const demo::WorldUnit& found = units[i];
                ASSERT_EQ(found.health, wanted.health)
                    << "unit " << i << ", tick " << tick << ", action " << actions[i];
                if (wanted.health <= 0) continue;
                ASSERT_EQ(found.position[0] * static_cast<float>(R::kScale), static_cast<float>(wanted.x))
                    << i << ", " << tick;
                ASSERT_EQ(found.position[1] * static_cast<float>(R::kScale), static_cast<float>(wanted.y))
                    << i << ", " << tick;
                ASSERT_EQ(found.cooldown, wanted.cooldown) << i << ", tick " << tick << ", action " << actions[i];
                ASSERT_EQ(found.ability, wanted.ability) << i << ", tick " << tick << ", action " << actions[i];
            }
        }
        fallen += static_cast<int>(kUnits) - oracle.living(0) - oracle.living(1);
    }
    for (int action = 0; action < R::kActionCount; ++action)
        EXPECT_GT(deeds[action], 20) << "action " << action << " hardly tried";
    EXPECT_GT(fallen, 50) << "the fight was no fight";
}

TEST_F(DemoWorld, AScriptedTeamDoesWhatTheRulesSupposeOfOthers) {
    world_->set_scripted_team(1);
    for (const std::uint64_t seed : {11u, 12u, 13u, 14u}) {
        Dice dice(seed);
        SkirmishWorld oracle;
        place(oracle, dice, 5);
        for (int tick = 0; tick < 2; ++tick) {
            const std::vector<int> actions(kUnits, R::kHold);
            std::vector<int> wanted = actions;
            for (std::size_t i = 0; i < kUnits; ++i) {
                if (oracle.units[i].health > 0 && oracle.units[i].team == 1) wanted[i] = oracle.scripted_action(i);
            }
            glNamedBufferSubData(world_->actions().name(), 0, static_cast<GLsizeiptr>(actions.size() * sizeof(int)),
                                 actions.data());
            oracle.advance(wanted);
            world_->step();
            const std::vector<demo::WorldUnit> units = world_->read_all();
            for (std::size_t i = 0; i < kUnits; ++i) {
                ASSERT_EQ(units[i].health, oracle.units[i].health)
                    << "unit " << i << ", tick " << tick << ", action " << wanted[i];
                if (oracle.units[i].health <= 0) continue;
                ASSERT_EQ(units[i].position[0] * static_cast<float>(R::kScale), static_cast<float>(oracle.units[i].x))
                    << i;
                ASSERT_EQ(units[i].position[1] * static_cast<float>(R::kScale), static_cast<float>(oracle.units[i].y))
                    << i;
            }
        }
    }
}

TEST_F(DemoWorld, UnfoldsTheSameWayEveryTime) {
    std::vector<std::vector<demo::WorldUnit>> ends;
    world_->set_solid_bodies(true);
    for (int run = 0; run < 2; ++run) {
        world_->deploy(2000, 42);
        Dice dice(7);
        for (int tick = 0; tick < 60; ++tick) {
            std::vector<int> actions(2000);
            for (int& action : actions)
                action = dice.below(R::kActionCount);
            glNamedBufferSubData(world_->actions().name(), 0, static_cast<GLsizeiptr>(actions.size() * sizeof(int)),
                                 actions.data());
            world_->step();
        }
        ends.push_back(world_->read_all());
    }
    ASSERT_EQ(ends[0].size(), 2000u);
    for (std::size_t i = 0; i < ends[0].size(); ++i) {
        ASSERT_EQ(ends[0][i].position[0], ends[1][i].position[0]) << i;
        ASSERT_EQ(ends[0][i].position[1], ends[1][i].position[1]) << i;
        ASSERT_EQ(ends[0][i].health, ends[1][i].health) << i;
        ASSERT_EQ(ends[0][i].wave, ends[1][i].wave) << i;
    }
}

TEST_F(DemoWorld, TheFallenComeBackSoTheBattleNeverEnds) {
    world_->deploy(400, 5);
    std::vector<demo::WorldUnit> units = world_->read_all();
    for (demo::WorldUnit& unit : units)
        unit.health = 0;
    glNamedBufferSubData(world_->units().name(), 0, static_cast<GLsizeiptr>(units.size() * sizeof(demo::WorldUnit)),
                         units.data());
    for (int tick = 0; tick < 80; ++tick)
        world_->step();
    units = world_->read_all();
    for (const demo::WorldUnit& unit : units) {
        EXPECT_EQ(unit.wave, 1);
        EXPECT_EQ(unit.health, R::kUnits[unit.kind].full_health);
        EXPECT_GE(unit.position[0], 0.0f);
        EXPECT_LE(unit.position[0], world_->field().x);
        const bool at_home =
            unit.team == 0 ? unit.position[0] < 0.5f * world_->field().x : unit.position[0] > 0.5f * world_->field().x;
        EXPECT_TRUE(at_home);
    }
}

// The grid is of the tick's beginning, so units stand still for this: the fallen do not move, the living hold.
TEST_F(DemoWorld, UrgencyFallsOffWithTheDistanceToTheNearestEnemy) {
    SkirmishWorld oracle;
    Dice dice(5);
    place(oracle, dice, 45);
    const std::vector<std::int32_t> hold(kCapacity, R::kHold);
    glNamedBufferSubData(world_->actions().name(), 0, static_cast<GLsizeiptr>(hold.size() * sizeof hold[0]),
                         hold.data());
    world_->step();
    constexpr float kPeak = 6.0f, kFall = 1.5f, kAlert = 16.0f;
    world_->weigh(kPeak, kFall);
    std::vector<float> urgencies(kCapacity);
    glGetNamedBufferSubData(world_->urgencies().name(), 0, static_cast<GLsizeiptr>(urgencies.size() * sizeof(float)),
                            urgencies.data());
    const std::vector<demo::WorldUnit> units = world_->read_all();
    int urgent = 0, calm = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        float nearest = kAlert;
        for (std::size_t j = 0; j < kUnits; ++j) {
            if (units[j].team == units[i].team || units[j].health <= 0) continue;
            nearest = std::min(nearest, demo::length(demo::place_of(units[j]) - demo::place_of(units[i])));
        }
        const bool lives = units[i].health > 0;
        const float expected = lives ? 1.0f + (kPeak - 1.0f) * std::pow(1.0f - nearest / kAlert, kFall) : 1.0f;
        ASSERT_NEAR(urgencies[i], expected, 1e-3f) << i;
        urgent += expected > 4.0f ? 1 : 0;
        calm += lives && expected < 3.0f ? 1 : 0;
    }
    EXPECT_GT(urgent, 20);
    EXPECT_GT(calm, 0);
}

}  // namespace
}  // namespace augur::test
