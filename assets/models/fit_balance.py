#!/usr/bin/env python3
"""Learns the rules of a small game from random play, and writes them as three ONNX files (augur_rules_learned).

    python3 assets/models/fit_balance.py assets/models/balance

writes balance_representation.onnx, balance_dynamics.onnx and balance_prediction.onnx. Needs numpy, jax and onnx; a few
minutes on one core. The seed is fixed, so a machine writes the same files every time; another version of jax or another
processor may round differently.

The game is the pole on a cart (Barto, Sutton and Anderson 1983, "Neuronlike adaptive elements that can solve difficult
learning control problems"), as an engine's physics would hold it, 50 steps a second: push left, not at all, or right, for
three steps. It is over when the pole leans more than 12 degrees or the cart is 2.4 m from the middle, which costs 1 / 2;
until then each ply costs up to 1 / 64, the more the farther the cart is from the middle. Nobody plays it well here: all that
is known comes from pushing at random from random states.

    representation  observation [5] - 64 - state [16]
    dynamics        state [16], action [3] - 64 - 64 - what the state changes by [16]; reward
    prediction      state [16] - 64 - policy [3]; state [16] - 64 - value

First they are fitted together, unrolled over 8 plies as in MuZero (Schrittwieser et al. 2020): the reward of each ply; the
value, which is the discounted return of what random play brought from there on; the policy, which imitates random play, the
more the better it turned out (advantage-weighted regression, Peng et al. 2019); and, through a linear map that is not part
of the files, the observation itself, which gives the state something to hold on to. After a fall the state only has to say
that; it costs nothing from then on.

Random play falls soon, and its returns say little of what could be. So then the value alone is fitted anew inside of what was
learned: of the states that random play met, and those that the dynamics makes of them, each is worth what its best action
brings and leads to (value iteration, with a target that lags behind).
"""

import argparse
import functools
import hashlib
import pathlib
import time

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper, numpy_helper

OBSERVATION, STATE, ACTIONS, HIDDEN = 5, 16, 3, 64
STARTS, PLIES, UNROLL = 24576, 40, 8
DISCOUNT = 0.97
FALL, AWAY = 1 / 2, 1 / 64  # what a fall costs, and a ply at the edge
BATCH, UPDATES, VALUE_UPDATES, PEAK_RATE = 256, 20000, 16000, 2e-3
LAG = 0.005  # of the target, per update
OPSET = 17


def push(state, action):
    """One ply of the game: position, speed, angle, angular speed of each row. tests/support/balance_game.h has the same."""
    x, v, angle, spin = state.T
    force = 6.0 * (action - 1)
    for _ in range(3):
        sine, cosine = np.sin(angle), np.cos(angle)
        # Cart 1 kg, pole 0.1 kg and 1 m long.
        common = (force + 0.05 * spin**2 * sine) / 1.1
        turn = (9.8 * sine - cosine * common) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
        speed_up = common - 0.05 * turn * cosine / 1.1
        x, v, angle, spin = x + 0.02 * v, v + 0.02 * speed_up, angle + 0.02 * spin, spin + 0.02 * turn
    return np.stack([x, v, angle, spin], 1)


def fallen(state):
    return (np.abs(state[:, 0]) > 2.4) | (np.abs(state[:, 2]) > 12 * np.pi / 180)


def observe(state, over):
    """What an agent sees [.., 5]: the four numbers, each about 1 at its largest, and whether it is over."""
    seen = state / np.array([2.4, 3.0, 0.21, 3.0])
    return np.concatenate([np.where(over[:, None], 0.0, seen), over[:, None]], 1).astype(np.float32)


def play(seed):
    """Random play: observations [N, T + 1, 5], actions [N, T], costs as a share of a fall [N, T], returns [N, T + 1]."""
    random = np.random.default_rng(seed)
    state = random.uniform(-1, 1, (STARTS, 4)) * np.array([2.3, 2.5, 0.2, 2.5])
    over = np.zeros(STARTS, bool)
    seen, chosen, paid = [observe(state, over)], [], []
    for _ in range(PLIES):
        action = random.integers(ACTIONS, size=STARTS)
        state = push(state, action)
        fell = fallen(state) & ~over
        over |= fell
        seen.append(observe(state, over))
        chosen.append(action)
        away = np.minimum(np.abs(state[:, 0]) / 2.4, 1) * AWAY / FALL
        paid.append(np.where(fell, 1.0, np.where(over, 0.0, away)).astype(np.float32))
    gains = np.zeros((STARTS, PLIES + 1), np.float32)
    for t in reversed(range(PLIES)):
        gains[:, t] = -FALL * paid[t] + DISCOUNT * gains[:, t + 1]
    return np.stack(seen, 1), np.stack(chosen, 1), np.stack(paid, 1), gains


LAYERS = {
    "representation_1": (HIDDEN, OBSERVATION), "representation_2": (STATE, HIDDEN),
    "dynamics_1": (HIDDEN, STATE + ACTIONS), "dynamics_2": (HIDDEN, HIDDEN), "change": (STATE, HIDDEN),
    "reward": (1, HIDDEN), "policy_1": (HIDDEN, STATE), "policy": (ACTIONS, HIDDEN), "value_1": (HIDDEN, STATE),
    "value": (1, HIDDEN),
    "observation": (OBSERVATION, STATE),  # not part of the files
}


def initial(key):
    parameters = {}
    for name, (out, into) in LAYERS.items():
        key, own = jax.random.split(key)
        gain = 0.1 if name in ("change", "policy", "value", "reward") else 1.4
        parameters["weight_" + name] = jax.random.normal(own, (out, into), jnp.float32) * gain / into**0.5
        parameters["bias_" + name] = jnp.zeros((out,), jnp.float32)
    return parameters


def layer(p, name, x):
    return x @ p["weight_" + name].T + p["bias_" + name]


def representation(p, seen):
    return layer(p, "representation_2", jax.nn.relu(layer(p, "representation_1", seen)))


def dynamics(p, state, action):
    """The next state, and the logit of the cost as a share of a fall."""
    hidden = jax.nn.relu(layer(p, "dynamics_1", jnp.concatenate([state, action], -1)))
    hidden = jax.nn.relu(layer(p, "dynamics_2", hidden))
    return state + layer(p, "change", hidden), layer(p, "reward", hidden)[:, 0]


def policy(p, state):
    return layer(p, "policy", jax.nn.relu(layer(p, "policy_1", state)))


def value(p, state):
    return jnp.tanh(layer(p, "value", jax.nn.relu(layer(p, "value_1", state))))[:, 0]


def loss(p, seen, chosen, paid, gains, spread):
    """seen [B, U + 1, 5], chosen and paid [B, U], gains [B, U + 1]; spread: standard deviation of the returns."""
    state = representation(p, seen[:, 0])
    total = 0.0
    for ply in range(UNROLL + 1):
        worth, standing = value(p, state), 1 - seen[:, ply, 4]
        total += (((worth - gains[:, ply]) / spread)**2).mean()
        off = (layer(p, "observation", state) - seen[:, ply])**2
        total += 100 * (standing * off[:, :4].sum(1)).mean() + 4 * off[:, 4].mean()
        if ply == UNROLL:
            break
        better = (gains[:, ply] - jax.lax.stop_gradient(worth)) / (0.5 * spread)
        weight = standing * jnp.exp(jnp.clip(better, -4, 2))
        right = jnp.take_along_axis(jax.nn.log_softmax(policy(p, state)), chosen[:, ply, None], 1)[:, 0]
        total -= 0.2 * (weight * right).mean()
        state, share = dynamics(p, state, jax.nn.one_hot(chosen[:, ply], ACTIONS))
        total += 4 * (jax.nn.softplus(share) - paid[:, ply] * share).mean()  # cross-entropy with the share
    return total / (UNROLL + 1)


def value_loss(p, target, seen, chosen):
    """seen [B, 5], chosen [B, U]: a state that random play met, and pushes to go on with in the dynamics."""
    state = representation(p, seen)
    total = 0.0
    for ply in range(UNROLL):
        best = -1.0
        for action in range(ACTIONS):
            following, share = dynamics(p, state, jax.nn.one_hot(jnp.full(len(seen), action), ACTIONS))
            standing = 1 - jnp.clip(layer(p, "observation", following)[:, 4], 0, 1)
            best = jnp.maximum(best, -FALL * jax.nn.sigmoid(share) + DISCOUNT * standing * value(target, following))
        total += ((value(p, state) - jax.lax.stop_gradient(jnp.minimum(best, 0)))**2).mean()
        state, _ = dynamics(p, state, jax.nn.one_hot(chosen[:, ply], ACTIONS))
    return 1000 * total / UNROLL


def adam(p, moments, slope, step, updates):
    """Kingma and Ba 2015, under a rate that rises for a twentieth of the updates and then falls as a cosine."""
    part = step / updates
    rate = PEAK_RATE * jnp.where(part < 0.05, part / 0.05, 0.5 + 0.5 * jnp.cos(jnp.pi * (part - 0.05) / 0.95))
    first = jax.tree_util.tree_map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], slope)
    second = jax.tree_util.tree_map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], slope)
    a, b = 1 - 0.9**(step + 1), 1 - 0.999**(step + 1)
    p = jax.tree_util.tree_map(lambda w, m, v: w - rate * (m / a) / (jnp.sqrt(v / b) + 1e-8), p, first, second)
    return p, (first, second)


def fit(data, seed):
    seen, chosen, paid, gains = (jnp.asarray(part) for part in data)
    spread = float(gains[:, 0].std())
    random = np.random.default_rng(seed)
    # Every ply at which somebody still stands.
    standing = np.argwhere(np.asarray(seen[:, :PLIES - UNROLL + 1, 4]) == 0)

    def learn(carried, where):
        p, moments, step = carried
        rows, times = where[:, :1], where[:, 1:] + jnp.arange(UNROLL + 1)
        batch = (seen[rows, times], chosen[rows, times[:, :-1]], paid[rows, times[:, :-1]], gains[rows, times])
        error, slope = jax.value_and_grad(loss)(p, *batch, spread)
        return (*adam(p, moments, slope, step, UPDATES), step + 1), error

    def iterate(carried, where):
        p, moments, step, target = carried
        rows, times = where[:, :1], where[:, 1:] + jnp.arange(UNROLL)
        error, slope = jax.value_and_grad(value_loss)(p, target, seen[rows[:, 0], times[:, 0]], chosen[rows, times])
        # Everything else stays as it is.
        slope = {name: part if "value" in name else jnp.zeros_like(part) for name, part in slope.items()}
        p, moments = adam(p, moments, slope, step, VALUE_UPDATES)
        target = jax.tree_util.tree_map(lambda old, new: old + LAG * (new - old), target, p)
        return (p, moments, step + 1, target), error

    def repeat(what, carried, update, updates):
        run = jax.jit(functools.partial(jax.lax.scan, update))
        chunk = 1000
        for begin in range(0, updates, chunk):
            began = time.time()
            pick = jnp.asarray(standing[random.integers(len(standing), size=(chunk, BATCH))])
            carried, errors = run(carried, pick)
            print(f"{what}, update {begin + chunk}: loss {float(errors.mean()):.4f}, {time.time() - began:.0f} s", flush=True)
        return carried

    def nothing(p):
        return tuple(jax.tree_util.tree_map(jnp.zeros_like, p) for _ in range(2))

    p = initial(jax.random.PRNGKey(seed))
    p = repeat("rules", (p, nothing(p), 0.0), learn, UPDATES)[0]
    p = repeat("value", (p, nothing(p), 0.0, p), iterate, VALUE_UPDATES)[0]
    return {name: np.asarray(part) for name, part in p.items()}


def report(p, data):
    seen, chosen, paid, gains = data
    rows = np.flatnonzero(seen[:, 0, 4] == 0)[:4096]
    state = representation(p, seen[rows, 0])
    print(f"held out: {len(rows):,} starts, random play stands for {(seen[:, 1:, 4] == 0).sum(1).mean():.1f} plies")
    worth = np.asarray(value(p, state))
    print(f"value: {worth.mean():.3f} on average, from {worth.min():.3f} to {worth.max():.3f}; return of random play "
          f"{gains[rows, 0].mean():.3f}")
    for ply in range(1, 17):
        state, share = dynamics(p, state, jax.nn.one_hot(chosen[rows, ply - 1], ACTIONS))
        if ply in (1, 4, 8, 16):
            there = seen[rows, ply, 4] == 0
            off = np.asarray(layer(p, "observation", state))[:, :4] - seen[rows, ply, :4]
            unpaid = np.asarray(jax.nn.sigmoid(share)) - paid[rows, ply - 1]
            print(f"after {ply} plies: observation off by {np.sqrt((off[there]**2).mean()):.4f}, reward off by "
                  f"{np.sqrt((unpaid**2).mean()):.4f} of a fall (root mean square)")


def onnx_model(p, name, nodes, inputs, outputs, layers, constants=()):
    def rows_of(tensor, width):
        return helper.make_tensor_value_info(tensor, TensorProto.FLOAT, ["batch", width])

    weights = [numpy_helper.from_array(p[kind + part], kind + part) for part in layers for kind in ("weight_", "bias_")]
    graph = helper.make_graph(nodes, name, [rows_of(*port) for port in inputs], [rows_of(*port) for port in outputs],
                              weights + [numpy_helper.from_array(np.float32(value), key) for key, value in constants])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="augur fit_balance.py")
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    return model


def gemm(source, part, result):
    return helper.make_node("Gemm", [source, "weight_" + part, "bias_" + part], [result], part, transB=1)


def node(operation, inputs, result, **attributes):
    return helper.make_node(operation, inputs, [result], result, **attributes)


def models(p):
    return {
        "representation": onnx_model(
            p, "representation",
            [gemm("seen", "representation_1", "sum_1"), node("Relu", ["sum_1"], "hidden_1"),
             gemm("hidden_1", "representation_2", "state")],
            [("seen", OBSERVATION)], [("state", STATE)], ["representation_1", "representation_2"]),
        "dynamics": onnx_model(
            p, "dynamics",
            [node("Concat", ["state", "action"], "both", axis=1), gemm("both", "dynamics_1", "sum_1"),
             node("Relu", ["sum_1"], "hidden_1"), gemm("hidden_1", "dynamics_2", "sum_2"),
             node("Relu", ["sum_2"], "hidden_2"), gemm("hidden_2", "change", "change"),
             node("Add", ["state", "change"], "next_state"), gemm("hidden_2", "reward", "sum_reward"),
             node("Sigmoid", ["sum_reward"], "share"), node("Mul", ["share", "fall"], "reward")],
            [("state", STATE), ("action", ACTIONS)], [("next_state", STATE), ("reward", 1)],
            ["dynamics_1", "dynamics_2", "change", "reward"], [("fall", -FALL)]),
        "prediction": onnx_model(
            p, "prediction",
            [gemm("state", "policy_1", "sum_1"), node("Relu", ["sum_1"], "hidden_1"),
             gemm("hidden_1", "policy", "policy"), gemm("state", "value_1", "sum_2"),
             node("Relu", ["sum_2"], "hidden_2"), gemm("hidden_2", "value", "sum_value"),
             node("Tanh", ["sum_value"], "value")],
            [("state", STATE)], [("policy", ACTIONS), ("value", 1)], ["policy_1", "policy", "value_1", "value"]),
    }


def check(p, made, data):
    """The files say what was fitted: ONNX's own evaluation against ours."""
    def run(name, **inputs):
        return onnx.reference.ReferenceEvaluator(made[name]).run(None, inputs)

    seen = data[0][:256, 0]
    action = np.asarray(jax.nn.one_hot(data[1][:256, 0], ACTIONS))
    state = np.asarray(representation(p, seen))
    following, share = (np.asarray(part) for part in dynamics(p, state, action))
    logits, worth = np.asarray(policy(p, state)), np.asarray(value(p, state))
    pairs = [(run("representation", seen=seen)[0], state)]
    pairs += zip(run("dynamics", state=state, action=action), (following, -FALL / (1 + np.exp(-share[:, None]))))
    pairs += zip(run("prediction", state=state), (logits, worth[:, None]))
    error = max(np.abs(theirs - ours).max() for theirs, ours in pairs)
    if not error < 1e-4:
        raise SystemExit(f"the ONNX files differ from what was fitted by {error}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", help="beginning of the files' names")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    data, held_out = play(options.seed), play(options.seed + 1000)
    print(f"{int((data[0][:, :PLIES, 4] == 0).sum()):,} plies of random play from {STARTS:,} states")
    parameters = fit(data, options.seed)
    report(parameters, held_out)
    made = models(parameters)
    check(parameters, made, held_out)
    for name, model in made.items():
        contents = model.SerializeToString()
        path = f"{options.out}_{name}.onnx"
        pathlib.Path(path).write_bytes(contents)
        print(f"{path}: {len(contents):,} bytes, sha256 {hashlib.sha256(contents).hexdigest()}")


if __name__ == "__main__":
    main()
