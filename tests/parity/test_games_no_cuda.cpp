#include "parity/test_games.h"

namespace augur::test {

void add_test_games_to_cuda() {}

}  // namespace augur::test
