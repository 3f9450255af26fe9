// Puts the small test games beside the shipped ones, on every backend of this build.

#ifndef AUGUR_TESTS_PARITY_TEST_GAMES_H
#define AUGUR_TESTS_PARITY_TEST_GAMES_H

namespace augur::test {

void add_test_games_to_cpu();

// Does nothing in a build without CUDA.
void add_test_games_to_cuda();

}  // namespace augur::test

#endif
