#include "backend/cuda/engine.cuh"
#include "parity/test_games.h"
#include "support/games/dice_race.h"
#include "support/games/duel.h"
#include "support/games/matrix_games.h"
#include "support/games/nim.h"
#include "support/games/oddities.h"
#include "support/games/tic_tac_toe.h"

namespace augur::test {

void add_test_games_to_cuda() {
    cuda::add_cuda_game(cuda::make_cuda_game<Nim>());
    cuda::add_cuda_game(cuda::make_cuda_game<MisereTicTacToe>());
    cuda::add_cuda_game(cuda::make_cuda_game<DiceRace>());
    cuda::add_cuda_game(cuda::make_cuda_game<RockPaperScissors>());
    cuda::add_cuda_game(cuda::make_cuda_game<Duel>());
    cuda::add_cuda_game(cuda::make_cuda_game<DeadEnd>());
    cuda::add_cuda_game(cuda::make_cuda_game<Endless>());
    cuda::add_cuda_game(cuda::make_cuda_game<HugeRewards>());
    cuda::add_cuda_game(cuda::make_cuda_game<ManyActions<100>>());
    cuda::add_cuda_game(cuda::make_cuda_game<HashMaze>());
}

}  // namespace augur::test
