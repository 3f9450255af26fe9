#!/usr/bin/env python3
"""Searches a made-up learned game with mctx and stores what it came to, for tests/unit/api_learned_mctx_test.cpp.

    pip install "jax[cpu]" mctx
    python3 tests/tools/make_mctx_learned_cases.py > tests/data/mctx/learned_cases.txt

mctx (https://github.com/google-deepmind/mctx) searches learned dynamics by its very interface. Here the "networks" are
tables over 40 states, made by hashes, whose numbers have few bits; the test writes the same tables into three ONNX files
(a state is one-hot, and the dynamics has a hidden unit for every state and action, so all sums are exact). Noise is off
in both. A line of the result; masked: 1 where the root has actions that are not legal:

    selection turn simulations considered masked root action visits...
"""
import functools

import jax
import jax.numpy as jnp
import mctx
import numpy as np

STATES = 40
ACTIONS = 5
PARTS = [30000, 17000, 9535, 6000, 3000]  # of 65535; priors are rotations of it
EXPLORATION = 1.25


def mix(x):
    """The finaliser of MurmurHash3 (A. Appleby)."""
    x = np.asarray(x, np.uint32)
    x = x ^ (x >> 16)
    x = x * np.uint32(0x85EBCA6B)
    x = x ^ (x >> 13)
    x = x * np.uint32(0xC2B2AE35)
    return x ^ (x >> 16)


states = np.arange(STATES, dtype=np.uint32)
edges = states[:, None] * np.uint32(ACTIONS) + np.arange(ACTIONS, dtype=np.uint32) + np.uint32(1)
NEXT = jnp.array((mix(edges) % STATES).astype(np.int32))
REWARD = jnp.array(((mix(edges ^ np.uint32(0x01234567)) % 9).astype(np.float32) - 4) / 128)
VALUE = jnp.array(((mix(states ^ np.uint32(0x89ABCDEF)) % 65).astype(np.float32) - 32) / 128)
SHIFT = (mix(states ^ np.uint32(0x5BD1E995)) % ACTIONS).astype(np.int32)
LOGITS = jnp.log(jnp.array(PARTS, jnp.float32)[(np.arange(ACTIONS) + SHIFT[:, None]) % ACTIONS] / 65535)
BITS = mix(states ^ np.uint32(0x2545F491)) | (1 << (states % ACTIONS)) | (1 << ((states + 2) % ACTIONS))
LEGAL = (BITS[:, None] >> np.arange(ACTIONS)) & 1


def recurrent(discount, params, key, action, state):
    del params, key
    following = NEXT[state, action]
    return mctx.RecurrentFnOutput(
        reward=REWARD[state, action], discount=jnp.full(state.shape, discount, jnp.float32),
        prior_logits=LOGITS[following], value=VALUE[following]), following


def plain_values(tree, node):
    """Means as they are, 0 where an action was never tried."""
    return jnp.where(tree.children_visits[node] > 0, tree.qvalues(node), 0.0)


@functools.partial(jax.jit, static_argnums=(0, 1, 2, 3, 4))
def search(selection, turn, simulations, considered, masked):
    roots = jnp.arange(STATES, dtype=jnp.int32)
    root = mctx.RootFnOutput(prior_logits=LOGITS, value=VALUE, embedding=roots)
    step = functools.partial(recurrent, -1.0 if turn == "alternating" else 1.0)
    key = jax.random.PRNGKey(1)
    invalid = jnp.array(1 - LEGAL) if masked else None
    if selection == "puct":
        out = mctx.muzero_policy(
            None, key, root, step, simulations, invalid_actions=invalid, qtransform=plain_values,
            dirichlet_fraction=0.0, pb_c_init=EXPLORATION, pb_c_base=1e12, temperature=0.0)
    else:
        out = mctx.gumbel_muzero_policy(
            None, key, root, step, simulations, invalid_actions=invalid, max_num_considered_actions=considered,
            gumbel_scale=0.0)
    return out.action, out.search_tree.summary().visit_counts


def main():
    print("# selection turn simulations considered masked root action visits")
    print("# mctx", mctx.__version__, "jax", jax.__version__)
    for turn in ("single", "alternating"):
        for selection, considered in (("puct", 0), ("gumbel", 2), ("gumbel", 5)):
            for masked in (0, 1):
                for simulations in (1, 7, 32, 100):
                    actions, visits = search(selection, turn, simulations, considered, masked)
                    for root, (action, row) in enumerate(zip(actions.tolist(), visits.tolist())):
                        print(selection, turn, simulations, considered, masked, root, action, *map(int, row))


if __name__ == "__main__":
    main()
