// Must not compile: a state of more than 1,024 bytes is no game, and the compiler says which requirement it misses.

#include "core/rules_info.h"
#include "support/games/extremes.h"

constexpr augur::core::RulesInfo kInfo = augur::core::make_rules_info<augur::test::CountDown<1025>>();
