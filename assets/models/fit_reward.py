#!/usr/bin/env python3
"""Gives a small network of fit.py a reward beside its policy and its value, from the same search data.

    python3 assets/models/fit_reward.py skirmish DATA HELD_OUT MODEL OUT

MODEL is a file of fit.py; a reward that it has already is replaced. Nothing else of it changes, bit for bit, so that a
search with OUT decides as with MODEL. Needs numpy and onnx; a minute on two cores.

The reward: K numbers, a linear layer on the last hidden layer. Number a is the reward of the ply that begins with action
a, by the rules, for the player to act. Each is the least squares fit over the states in which its action is legal, in
each image of the state, with a small penalty on the weights; the solution is exact, so no rate and no seed matter.
"""

import argparse
import hashlib
import pathlib

import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper, numpy_helper

from search_data import IMAGES, read

PENALTY = 1e-4  # of a squared weight, in squared rewards of a state
NAMES = ("weight_reward", "bias_reward")


def hidden(p, state):
    """The last hidden layer [B, 128] of states [B, F]."""
    first = np.maximum(state @ p["weight_1"].T + p["bias_1"], 0)
    return np.maximum(first @ p["weight_2"].T + p["bias_2"], 0)


def fit(p, game, data):
    actions = data.legal.shape[1]
    width = p["weight_2"].shape[0] + 1
    products = np.zeros((actions, width, width))
    targets = np.zeros((actions, width))
    counts = np.zeros(actions)
    for source, sign, seen in IMAGES[game]():
        x = hidden(p, data.state[:, source] * sign)
        x = np.concatenate([x, np.ones((len(x), 1), x.dtype)], 1).astype(np.float64)
        for action in range(actions):
            legal = data.legal[:, seen[action]]
            rows = x if legal.all() else x[legal]
            products[action] += rows.T @ rows
            targets[action] += rows.T @ data.rewards[legal, seen[action]]
            counts[action] += len(rows)
    penalty = PENALTY * np.diag([1.0] * (width - 1) + [0.0])  # none on the bias
    solved = np.stack([np.linalg.solve(products[a] / counts[a] + penalty, targets[a] / counts[a])
                       for a in range(actions)])
    return {NAMES[0]: solved[:, :-1].astype(np.float32), NAMES[1]: solved[:, -1].astype(np.float32)}


def report(predicted, data):
    """How far the reward is from the rules'; the best constant, a median, for comparison."""
    rows = np.arange(len(data.values))
    chosen = data.visits.argmax(1)
    print(f"held out: {len(rows):,} decisions")
    for of, truth, guess in (("all legal actions", data.rewards[data.legal], predicted[data.legal]),
                             ("the search's first choice", data.rewards[rows, chosen], predicted[rows, chosen])):
        print(f"reward of {of}: mean absolute error {np.abs(guess - truth).mean():.4f}, of a constant "
              f"{np.abs(truth - np.median(truth)).mean():.4f}; root mean square error "
              f"{((guess - truth) ** 2).mean() ** 0.5:.4f}, standard deviation of the rewards {truth.std():.4f}, "
              f"correlation {np.corrcoef(guess, truth)[0, 1]:.4f}")


def with_reward(model, reward):
    result = onnx.ModelProto()
    result.CopyFrom(model)
    graph = result.graph
    for parts, is_old in ((graph.node, lambda node: "reward" in node.output),
                          (graph.output, lambda output: output.name == "reward"),
                          (graph.initializer, lambda weights: weights.name in NAMES)):
        for old in [part for part in parts if is_old(part)]:
            parts.remove(old)
    trunk = next(node.input[0] for node in graph.node if "policy" in node.output)
    graph.node.append(helper.make_node("Gemm", [trunk, *NAMES], ["reward"], "reward", transB=1))
    graph.output.append(helper.make_tensor_value_info("reward", TensorProto.FLOAT, ["batch", len(reward[NAMES[1]])]))
    graph.initializer.extend(numpy_helper.from_array(reward[name], name) for name in NAMES)
    onnx.checker.check_model(result, full_check=True)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("game", choices=sorted(IMAGES))
    parser.add_argument("data")
    parser.add_argument("held_out")
    parser.add_argument("model")
    parser.add_argument("out")
    options = parser.parse_args()

    data, held_out = read(options.data), read(options.held_out)
    model = onnx.load(options.model)
    parameters = {weights.name: numpy_helper.to_array(weights) for weights in model.graph.initializer}
    print(f"{len(data.values):,} decisions")
    reward = fit(parameters, options.game, data)
    predicted = hidden(parameters, held_out.state) @ reward[NAMES[0]].T + reward[NAMES[1]]
    report(predicted, held_out)
    result = with_reward(model, reward)
    # The file says what was fitted, and what it said before: ONNX's own evaluation against ours and the old file's.
    some = {"state": held_out.state[:256]}
    before = onnx.reference.ReferenceEvaluator(model).run(["policy", "value"], some)
    after = onnx.reference.ReferenceEvaluator(result).run(["policy", "value", "reward"], some)
    if not all(np.array_equal(old, new) for old, new in zip(before, after)):
        raise SystemExit("the policy or the value changed")
    error = np.abs(after[2] - predicted[:256]).max()
    if not error < 1e-4:
        raise SystemExit(f"the ONNX file differs from what was fitted by {error}")
    contents = result.SerializeToString()
    pathlib.Path(options.out).write_bytes(contents)
    print(f"{options.out}: {len(contents):,} bytes, sha256 {hashlib.sha256(contents).hexdigest()}")


if __name__ == "__main__":
    main()
