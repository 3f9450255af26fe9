// The learned rules that ship, played against the game that they were learned from.
#include <gtest/gtest.h>

#include "support/balance_host.h"

namespace augur::test {
namespace {

const char* const kModels = AUGUR_SOURCE_DIR "/assets/models/balance";

BalanceOutcome played(const BalanceSettings& settings) {
    const BalanceOutcome outcome = play_balance(kModels, settings);
    EXPECT_TRUE(outcome.played) << augur_last_message();
    return outcome;
}

TEST(BalanceModel, SearchStandsLongerThanThePriorAndThePriorLongerThanChance) {
    BalanceSettings settings;
    settings.simulations = 0;
    const BalanceOutcome prior = played(settings);
    EXPECT_GT(prior.mean_plies, 3.0 * play_balance_at_random(settings).mean_plies);
    for (const augur_precision precision : {AUGUR_PRECISION_FP32, AUGUR_PRECISION_INT8}) {
        settings.precision = precision;
        settings.simulations = 8;
        const BalanceOutcome search = played(settings);
        EXPECT_EQ(search.exact, precision == AUGUR_PRECISION_INT8);
        EXPECT_GT(search.mean_plies, 1.3 * prior.mean_plies);
        EXPECT_GT(search.mean_plies, 0.9 * settings.plies);
    }
}

TEST(BalanceModel, Int8DecidesAlikeWithAnyNumberOfWorkers) {
    BalanceSettings settings;
    settings.precision = AUGUR_PRECISION_INT8;
    settings.games = 40;
    settings.plies = 30;
    settings.workers = 0;
    const std::uint64_t hash = played(settings).hash;
    settings.workers = 3;
    EXPECT_EQ(played(settings).hash, hash);
    settings.seed = 2;
    EXPECT_NE(played(settings).hash, hash) << "other games, other decisions";
}

}  // namespace
}  // namespace augur::test
