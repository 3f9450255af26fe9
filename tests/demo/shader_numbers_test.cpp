// The battle's numbers stand in shaders/skirmish_rules.glsl a second time, because a game does not include the plugin.
// They are compared here with the rules themselves.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <regex>
#include <string>

#include "draw/shaders.h"
#include "rules/skirmish.h"
#include "scenes/skirmish_world.h"

namespace augur::test {
namespace {

using R = rules::Skirmish;

std::string source_of(const std::string& name) {
    for (const demo::ShaderText& shader : demo::embedded_shaders()) {
        if (name == shader.name) return shader.source;
    }
    return {};
}

std::map<std::string, int> single_numbers(const std::string& source) {
    std::map<std::string, int> numbers;
    const std::regex line(R"(const int (k\w+) = (-?\d+);)");
    for (std::sregex_iterator it(source.begin(), source.end(), line), end; it != end; ++it)
        numbers[(*it)[1]] = std::stoi((*it)[2]);
    return numbers;
}

std::map<std::string, std::array<int, 3>> triples(const std::string& source) {
    std::map<std::string, std::array<int, 3>> numbers;
    const std::regex line(R"(const int (k\w+)\[3\] = int\[3\]\((\d+), (\d+), (\d+)\);)");
    for (std::sregex_iterator it(source.begin(), source.end(), line), end; it != end; ++it) {
        numbers[(*it)[1]] = {std::stoi((*it)[2]), std::stoi((*it)[3]), std::stoi((*it)[4])};
    }
    return numbers;
}

TEST(SkirmishShaders, HoldTheNumbersOfTheRules) {
    const std::string source = source_of("skirmish_rules.glsl");
    std::map<std::string, int> found = single_numbers(source);
    const std::map<std::string, int> wanted = {
        {"kMelee", R::kMelee},
        {"kRanged", R::kRanged},
        {"kHealer", R::kHealer},
        {"kScale", R::kScale},
        {"kAbilityPeriod", R::kAbilityPeriod},
        {"kGuardPlies", R::kGuardPlies},
        {"kThreatRadius", R::kThreatRadius},
        {"kVolleyDamage", R::kVolleyDamage},
        {"kVolleyRadius", R::kVolleyRadius},
        {"kCircleAmount", R::kCircleAmount},
        {"kCircleRadius", R::kCircleRadius},
        {"kSprintCooldown", R::kSprintCooldown},
        {"kDistanceGrain", R::kDistanceGrain},
        {"kMoveCount", R::kMoveSouthEast + 1},
        {"kHold", R::kHold},
        {"kAttack", R::kAttack},
        {"kFocus", R::kFocus},
        {"kRetreat", R::kRetreat},
        {"kAbility", R::kAbility},
    };
    EXPECT_EQ(found, wanted);
}

TEST(SkirmishShaders, HoldTheUnitsOfTheRules) {
    std::map<std::string, std::array<int, 3>> found = triples(source_of("skirmish_rules.glsl"));
    std::map<std::string, std::array<int, 3>> wanted;
    for (std::size_t kind = 0; kind < 3; ++kind) {
        const R::Unit& unit = R::kUnits[kind];
        wanted["kFullHealth"][kind] = unit.full_health;
        wanted["kAmount"][kind] = unit.amount;
        wanted["kCooldown"][kind] = unit.cooldown;
        wanted["kReach"][kind] = unit.reach;
        wanted["kStraight"][kind] = unit.straight;
        wanted["kDiagonal"][kind] = unit.diagonal;
        EXPECT_EQ(demo::full_health(static_cast<std::int32_t>(kind)), unit.full_health);
        EXPECT_EQ(demo::stride_length(static_cast<std::int32_t>(kind), false) * R::kScale,
                  static_cast<float>(unit.straight));
        EXPECT_NEAR(demo::stride_length(static_cast<std::int32_t>(kind), true) * R::kScale, unit.diagonal * 1.41421356,
                    1e-3);
    }
    EXPECT_EQ(found, wanted);
}

TEST(SkirmishShaders, LookAtLeastAsFarAsTheyReach) {
    const std::map<std::string, int> layout = single_numbers(source_of("skirmish_layout.glsl"));
    const std::map<std::string, int> act = single_numbers(source_of("skirmish_act.comp"));
    for (const R::Unit& unit : R::kUnits) {
        EXPECT_LE(unit.reach, act.at("kLongestReach"));
        EXPECT_LE(unit.reach, layout.at("kCellSteps"));
    }
    EXPECT_LE(R::kThreatRadius, act.at("kLongestReach"));
    EXPECT_LE(R::kCircleRadius, act.at("kLongestReach"));
    EXPECT_LE(R::kVolleyRadius, layout.at("kCellSteps"));
    EXPECT_LE(R::kCircleRadius, layout.at("kCellSteps"));
}

}  // namespace
}  // namespace augur::test
