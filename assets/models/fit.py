#!/usr/bin/env python3
"""Fits the small networks that ship from search data, and writes them as ONNX files.

    python3 assets/models/fit.py connect_four DATA HELD_OUT assets/models/connect_four.onnx
    python3 assets/models/fit.py skirmish DATA HELD_OUT assets/models/skirmish.onnx

DATA and HELD_OUT are files of augur_search_data (tests/tools/search_data.h says what is in them), made with different
seeds so that no game is in both. Needs numpy, jax and onnx; a few minutes on two cores. The seed is fixed, so a machine
writes the same file every time; another version of jax or another processor may round differently.

The network: F features - 128 - 128, ReLU, then a policy (K logits) and a value (tanh). The loss is the cross-entropy with
the search's visits over the legal actions, plus the squared error of the value, divided by the variance of the values. In
skirmish the visits are squared first: with rollouts' small exploration constant they are flat, because every action
that was never tried must be tried once, and a flat prior says little. fit_reward.py adds a reward to what this writes.
"""

import argparse
import hashlib
import pathlib
import time

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper, numpy_helper

from search_data import IMAGES, read

HIDDEN = 128
BATCH = 1024
PEAK_RATE = 2e-3
OPSET = 17


def connect_four_lines():
    """Each line of four cells as a row of ones, for either side: [138, 42]."""
    lines = []
    for row in range(6):
        for column in range(7):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if row + 3 * up < 6 and 0 <= column + 3 * right < 7:
                    line = np.zeros(42, np.float32)
                    line[[(row + n * up) * 7 + column + n * right for n in range(4)]] = 1
                    lines += [line, -line]
    return np.stack(lines)


def initial(key, features, actions):
    sizes = {"1": (HIDDEN, features, 2), "2": (HIDDEN, HIDDEN, 2), "policy": (actions, HIDDEN, 1), "value": (1, HIDDEN, 1)}
    parameters = {}
    for name, (out, into, gain) in sizes.items():
        key, own = jax.random.split(key)
        parameters["weight_" + name] = jax.random.normal(own, (out, into), jnp.float32) * (gain / into) ** 0.5
        parameters["bias_" + name] = jnp.zeros((out,), jnp.float32)
    return parameters


def network(p, state):
    """Logits [B, K] and values [B] of states [B, F]."""
    hidden = jax.nn.relu(state @ p["weight_1"].T + p["bias_1"])
    hidden = jax.nn.relu(hidden @ p["weight_2"].T + p["bias_2"])
    value = jnp.tanh(hidden @ p["weight_value"].T + p["bias_value"])
    return hidden @ p["weight_policy"].T + p["bias_policy"], value[:, 0]


def log_policy(logits, legal):
    return jax.nn.log_softmax(jnp.where(legal, logits, -1e9))


def begin_with(parameters, patterns, seed):
    """The first layer begins with some of the patterns, each hidden unit answering to most of one, and less noise."""
    pick = np.random.default_rng(seed).permutation(len(patterns))[:HIDDEN]
    parameters["weight_1"] = 0.1 * parameters["weight_1"] + patterns[pick]
    parameters["bias_1"] = jnp.full((HIDDEN,), -1.5, jnp.float32)


def fit(data, game, epochs, seed):
    rows, variance = len(data[3]), float(data[3].var())
    images = IMAGES[game]()
    parameters = initial(jax.random.PRNGKey(seed), data[0].shape[1], data[1].shape[1])
    if game == "connect_four":
        begin_with(parameters, connect_four_lines(), seed)
    # Adam (Kingma and Ba 2015) under a rate that rises for a twentieth of the steps and then falls as a cosine.
    moments = [jax.tree_util.tree_map(jnp.zeros_like, parameters) for _ in range(2)]
    steps = epochs * (rows // BATCH)

    def loss(p, x, mask, target, z):
        logits, value = network(p, x)
        entropy = -(target * log_policy(logits, mask)).sum(1).mean()
        return entropy + ((value - z) ** 2).mean() / variance

    def update(carried, batch):
        p, first, second, step = carried
        error, slope = jax.value_and_grad(loss)(p, *batch)
        part = step / steps
        rate = PEAK_RATE * jnp.where(part < 0.05, part / 0.05, 0.5 + 0.5 * jnp.cos(jnp.pi * (part - 0.05) / 0.95))
        first = jax.tree_util.tree_map(lambda m, g: 0.9 * m + 0.1 * g, first, slope)
        second = jax.tree_util.tree_map(lambda v, g: 0.999 * v + 0.001 * g * g, second, slope)
        a, b = 1 - 0.9 ** (step + 1), 1 - 0.999 ** (step + 1)
        p = jax.tree_util.tree_map(lambda w, m, v: w - rate * (m / a) / (jnp.sqrt(v / b) + 1e-8), p, first, second)
        return (p, first, second, step + 1), error

    @jax.jit
    def run(carried, order, image):
        """One epoch: batches of rows order [S, BATCH], each row seen in the image image [S, BATCH]."""

        def one(carried, batch):
            rows, image = batch
            seen = actions[image]
            x = jnp.take_along_axis(state[rows], sources[image], 1) * signs[image]
            mask = jnp.take_along_axis(legal[rows], seen, 1)
            return update(carried, (x, mask, jnp.take_along_axis(visits[rows], seen, 1), values[rows]))

        return jax.lax.scan(one, carried, (order, image))

    random = np.random.default_rng(seed)
    state, legal, visits, values = (jnp.asarray(part) for part in data[:4])
    sources, signs, actions = (jnp.asarray(np.stack(part)) for part in zip(*images))
    carried = (parameters, *moments, 0.0)
    for epoch in range(epochs):
        begin = time.time()
        order = random.permutation(rows)[:rows // BATCH * BATCH].reshape(-1, BATCH)
        carried, errors = run(carried, order, random.integers(len(images), size=order.shape))
        print(f"epoch {epoch + 1}: loss {float(errors.mean()):.4f}, {time.time() - begin:.0f} s", flush=True)
    parameters = carried[0]
    return {name: np.asarray(value) for name, value in parameters.items()}


def report(parameters, data):
    state, legal, visits, values, simulations = data[:5]
    logits, value = (np.asarray(part) for part in jax.jit(network)(parameters, state))
    log_share = np.asarray(log_policy(logits, legal))
    entropy = -(visits * np.log(np.maximum(visits, 1e-30))).sum(1).mean()
    cross = -(visits * log_share).sum(1).mean()
    # How far the policy is from the visits, beside the uniform policy.
    uniform = np.log(legal.sum(1)).mean()
    same = (log_share.argmax(1) == visits.argmax(1)).mean()
    print(f"held out: {len(values):,} decisions of {simulations} simulations")
    print(f"policy: cross-entropy {cross:.4f}, of which the visits' own {entropy:.4f}; uniform policy {uniform:.4f}")
    print(f"policy: first choice is the search's in {100 * same:.1f} %")
    print(f"value: root mean square error {((value - values) ** 2).mean() ** 0.5:.4f}, standard deviation of the values "
          f"{values.std():.4f}, correlation {np.corrcoef(value, values)[0, 1]:.4f}")


def onnx_model(parameters, name):
    def gemm(source, layer, result):
        return helper.make_node("Gemm", [source, "weight_" + layer, "bias_" + layer], [result], layer, transB=1)

    nodes = [
        gemm("state", "1", "sum_1"),
        helper.make_node("Relu", ["sum_1"], ["hidden_1"]),
        gemm("hidden_1", "2", "sum_2"),
        helper.make_node("Relu", ["sum_2"], ["hidden_2"]),
        gemm("hidden_2", "policy", "policy"),
        gemm("hidden_2", "value", "sum_value"),
        helper.make_node("Tanh", ["sum_value"], ["value"]),
    ]

    def rows_of(tensor, width):
        return helper.make_tensor_value_info(tensor, TensorProto.FLOAT, ["batch", width])

    graph = helper.make_graph(
        nodes, name, [rows_of("state", parameters["weight_1"].shape[1])],
        [rows_of("policy", parameters["weight_policy"].shape[0]), rows_of("value", 1)],
        [numpy_helper.from_array(np.asarray(value, np.float32), key) for key, value in parameters.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="augur fit.py")
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("game", choices=sorted(IMAGES))
    parser.add_argument("data")
    parser.add_argument("held_out")
    parser.add_argument("out")
    parser.add_argument("--epochs", type=int, default=80)
    parser.add_argument("--sharpness", type=float, help="power of the visits [default 1 connect_four, 2 skirmish]")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    sharpness = options.sharpness or {"connect_four": 1.0, "skirmish": 2.0}[options.game]
    data, held_out = read(options.data, sharpness), read(options.held_out, sharpness)
    print(f"{len(data[3]):,} decisions of {data[4]} simulations, policy of visits to the power of {sharpness:g}")
    parameters = fit(data, options.game, options.epochs, options.seed)
    report(parameters, held_out)
    model = onnx_model(parameters, options.game)
    # The file says what was fitted: ONNX's own evaluation against ours.
    some = held_out[0][:256]
    policy, value = onnx.reference.ReferenceEvaluator(model).run(None, {"state": some})
    logits, values = (np.asarray(part) for part in network(parameters, some))
    error = max(np.abs(policy - logits).max(), np.abs(value[:, 0] - values).max())
    if not error < 1e-4:
        raise SystemExit(f"the ONNX file differs from what was fitted by {error}")
    contents = model.SerializeToString()
    pathlib.Path(options.out).write_bytes(contents)
    print(f"{options.out}: {len(contents):,} bytes, sha256 {hashlib.sha256(contents).hexdigest()}")


if __name__ == "__main__":
    main()
