#include "backend/cpu/engine.h"
#include "parity/test_games.h"
#include "support/games/dice_race.h"
#include "support/games/duel.h"
#include "support/games/matrix_games.h"
#include "support/games/nim.h"
#include "support/games/oddities.h"
#include "support/games/tic_tac_toe.h"

namespace augur::test {

void add_test_games_to_cpu() {
    add_cpu_game(make_cpu_game<Nim>());
    add_cpu_game(make_cpu_game<MisereTicTacToe>());
    add_cpu_game(make_cpu_game<DiceRace>());
    add_cpu_game(make_cpu_game<RockPaperScissors>());
    add_cpu_game(make_cpu_game<Duel>());
    add_cpu_game(make_cpu_game<DeadEnd>());
    add_cpu_game(make_cpu_game<Endless>());
    add_cpu_game(make_cpu_game<HugeRewards>());
    add_cpu_game(make_cpu_game<ManyActions<100>>());
    add_cpu_game(make_cpu_game<HashMaze>());
}

}  // namespace augur::test
