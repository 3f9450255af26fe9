#!/usr/bin/env python3
"""Mistakes of OpenSpiel's MCTS on solved Connect Four positions: the peer's column of docs/benchmarks/strength.md.

Run by hand, never by the suite; needs `pip install open_spiel` (2.0.2 was used). Its results are stored in
docs/benchmarks/strength.

    python3 tests/tools/openspiel_strength.py SET.txt... > docs/benchmarks/strength/openspiel.csv

A line of a set is `moves score outcomes` (see tests/support/solved_positions.h). The bot is OpenSpiel's C++ MCTSBot with
one random rollout a simulation, UCT, exploration 1.4, its solver on (its defaults in the examples), one seed a position.
"""

import argparse
import pathlib
import sys

import pyspiel

RANK = {"+": 1, "0": 0, "-": -1, "x": -2}


def read_set(path):
    for line in pathlib.Path(path).read_text().splitlines():
        if line and not line.startswith("#"):
            moves, _, outcomes = line.split()
            yield moves, outcomes


def mistakes(positions, simulations, exploration, solve):
    game = pyspiel.load_game("connect_four")
    wrong = 0
    for seed, (moves, outcomes) in enumerate(positions):
        state = game.new_initial_state()
        for column in moves:
            state.apply_action(int(column) - 1)
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(game, evaluator, exploration, simulations, 1000, solve, seed, False)
        best = max(RANK[letter] for letter in outcomes)
        wrong += RANK[outcomes[bot.step(state)]] != best
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--exploration", type=float, default=1.4)
    parser.add_argument("--no-solve", action="store_true")
    parser.add_argument("--simulations", type=int, nargs="*", default=[2**i for i in range(13)] + [1000])
    arguments = parser.parse_args()
    print("set,simulations,positions,mistakes")
    for path in arguments.sets:
        positions = list(read_set(path))
        name = pathlib.Path(path).name.split(".")[0]
        for simulations in sorted(arguments.simulations):
            wrong = mistakes(positions, simulations, arguments.exploration, not arguments.no_solve)
            print(f"{name},{simulations},{len(positions)},{wrong}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
