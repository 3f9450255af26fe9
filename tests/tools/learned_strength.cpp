// Measures what search on learned rules is worth: how long the pole on a cart stands (tests/support/balance_game.h).
//
// Usage: augur_learned_strength assets/models/balance [GAMES [PLIES [WORKERS]]]
//
// Prints CSV: by chance, by the prior alone, and by search with more and more simulations, FP32 and INT8. The same
// numbers in every run; the processor's vector units may change what a network says in its last bits, except in INT8.
#include <cstdio>
#include <cstdlib>

#include "support/balance_host.h"

namespace {

using namespace augur::test;

void print(const char* way, std::uint32_t simulations, const BalanceSettings& settings, const BalanceOutcome& outcome) {
    const char* const precision = outcome.exact                                ? "int8"
                                  : settings.precision == AUGUR_PRECISION_INT8 ? "fp32 instead of int8"
                                                                               : "fp32";
    const double rate =
        outcome.search_seconds > 0.0 ? static_cast<double>(outcome.simulations) / outcome.search_seconds : 0;
    std::printf("%s,%s,%u,%.1f,%u/%u,%.0f\n", way, precision, simulations, outcome.mean_plies, outcome.to_the_end,
                settings.games, rate);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::fprintf(stderr, "usage: augur_learned_strength assets/models/balance [GAMES [PLIES [WORKERS]]]\n");
        return 2;
    }
    const auto number = [&](int index, std::uint32_t otherwise) {
        return count > index ? static_cast<std::uint32_t>(std::strtoul(arguments[index], nullptr, 10)) : otherwise;
    };
    BalanceSettings settings;
    settings.games = number(2, 256);
    settings.plies = number(3, 300);
    settings.workers = number(4, 1);
    std::printf("way,precision,simulations,mean plies of %u,to the end,simulations per second\n", settings.plies);
    print("chance", 0, settings, play_balance_at_random(settings));
    for (const augur_precision precision : {AUGUR_PRECISION_FP32, AUGUR_PRECISION_INT8}) {
        settings.precision = precision;
        for (const augur_selection selection : {AUGUR_SELECTION_GUMBEL, AUGUR_SELECTION_PUCT}) {
            settings.selection = selection;
            settings.exploration = 0.25f;  // of PUCT; returns are small
            for (const std::uint32_t simulations : {0u, 4u, 8u, 16u, 32u, 64u, 128u}) {
                if (simulations == 0 && selection == AUGUR_SELECTION_PUCT) continue;
                settings.simulations = simulations;
                const BalanceOutcome outcome = play_balance(arguments[1], settings);
                if (!outcome.played) {
                    std::fprintf(stderr, "%s\n", augur_last_message());
                    return 1;
                }
                print(simulations == 0                    ? "prior"
                      : selection == AUGUR_SELECTION_PUCT ? "puct"
                                                          : "gumbel",
                      simulations, settings, outcome);
            }
        }
    }
    return 0;
}
