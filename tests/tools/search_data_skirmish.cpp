// Search data of skirmish: battles of equal armies, many side by side.

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "support/skirmish_arena.h"
#include "support/split_mix.h"
#include "tools/search_data.h"
#include "tools/skirmish_grounds.h"

namespace augur::test {
namespace {

using R = rules::Skirmish;
using Record = SearchRecord<R>;

constexpr int kMostMelee = 8, kMostRanged = 8, kMostHealers = 2;  // a side
constexpr std::uint32_t kSlots = 2 * (kMostMelee + kMostRanged + kMostHealers);
constexpr int kLongestBattle = 120;  // plies

// How a team chooses, once for a battle: what is learned must hold for foes and friends of several habits.
enum class Habit { best, drawn, careless, script, kCount };

struct Battle {
    SkirmishWorld world;
    Habit habits[2];
    int plies;
};

Battle new_battle(SplitMix64& random) {
    BattleSetup setup;
    do {
        setup.melee = random.below(kMostMelee + 1);
        setup.ranged = random.below(kMostRanged + 1);
        setup.healers = random.below(kMostHealers + 1);
    } while (setup.melee + setup.ranged == 0);
    Battle battle{make_battle(setup, random.next()), {}, 0};
    for (Habit& habit : battle.habits)
        habit = static_cast<Habit>(random.below(static_cast<int>(Habit::kCount)));
    // Some of every army are wounded or busy from the start.
    for (SkirmishUnit& unit : battle.world.units) {
        if (random.below(2) == 0) continue;
        unit.health = 1 + random.below(unit.health);
        unit.cooldown = random.below(R::kUnits[unit.kind].cooldown + 1);
        unit.ability = random.below(R::kAbilityPeriod + 1);
    }
    return battle;
}

int drawn_action(const Record& record, SplitMix64& random) {
    std::uint32_t sum = 0;
    for (const std::uint32_t visits : record.visits)
        sum += visits;
    auto left = static_cast<std::uint32_t>(random.below(static_cast<int>(sum)));
    for (std::size_t action = 0; action < record.visits.size(); ++action) {
        if (left < record.visits[action]) return static_cast<int>(action);
        left -= record.visits[action];
    }
    throw std::logic_error("a draw is below the sum of the visits");
}

int chosen_action(Habit habit, const Battle& battle, std::size_t unit, const Record& record, int best,
                  SplitMix64& random) {
    switch (habit) {
        case Habit::script:
            return battle.world.scripted_action(unit);
        case Habit::drawn:
            return drawn_action(record, random);
        case Habit::careless: {  // every fifth action is any legal one
            const auto legal = kit::ActionMask<R::kActions>::from_bits(record.legal);
            return random.below(5) == 0 ? legal.nth(random.below(legal.count())) : best;
        }
        default:
            return best;
    }
}

}  // namespace

void write_skirmish_data(const SearchDataOptions& options) {
    SplitMix64 random(options.seed);
    SearchDataFile<R> file(options);
    SkirmishGrounds grounds(data_desc(options), options.at_once, kSlots);
    std::vector<Battle> battles(options.at_once);
    for (Battle& battle : battles)
        battle = new_battle(random);

    while (!file.full()) {
        for (std::uint32_t b = 0; b < battles.size(); ++b)
            grounds.show(b, battles[b].world);
        const std::vector<augur_agent_result>& results = grounds.plan();
        for (std::uint32_t b = 0; b < battles.size(); ++b) {
            Battle& battle = battles[b];
            std::vector<int> actions(battle.world.units.size(), R::kHold);
            for (std::uint32_t i = 0; i < actions.size(); ++i) {
                const std::uint32_t agent = grounds.agent(b, i);
                if (battle.world.units[i].health == 0) continue;
                Record record = record_of<R>(battle.world.state(i));
                sdk::unwrap(grounds.planner().root(agent, record.visits, {}));
                record.value = results[agent].value;
                file.write(record);
                const Habit habit = battle.habits[battle.world.units[i].team];
                actions[i] = chosen_action(habit, battle, i, record, results[agent].action, random);
            }
            battle.world.advance(actions);
            const bool over = battle.world.living(0) == 0 || battle.world.living(1) == 0;
            if (over || ++battle.plies == kLongestBattle) battle = new_battle(random);
        }
    }
    file.close();
}

}  // namespace augur::test
