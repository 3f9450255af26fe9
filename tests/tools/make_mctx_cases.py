#!/usr/bin/env python3
"""Searches a made-up game with mctx and stores what it came to, for tests/unit/search_mctx_test.cpp.

    pip install "jax[cpu]" mctx
    python3 tests/tools/make_mctx_cases.py > tests/data/mctx/cases.txt

mctx (https://github.com/google-deepmind/mctx) is the reference for PUCT with priors and for Gumbel with sequential
halving. The game and its "network" are hashes of the state, small numbers with few bits, so that float32 and our fixed
point agree on every comparison. Noise is off in both. A line of the result:

    selection turn simulations considered root action visits...
"""
import functools

import jax
import jax.numpy as jnp
import mctx

ACTIONS = 5
PARTS = [30000, 17000, 9535, 6000, 3000]  # of 65535; priors are rotations of it
EXPLORATION = 1.25


def mix(x):
    """The finaliser of MurmurHash3 (A. Appleby)."""
    x = x ^ (x >> 16)
    x = x * jnp.uint32(0x85EBCA6B)
    x = x ^ (x >> 13)
    x = x * jnp.uint32(0xC2B2AE35)
    return x ^ (x >> 16)


def child(state, action):
    return mix(state * jnp.uint32(ACTIONS) + action.astype(jnp.uint32) + jnp.uint32(1))


def reward(state):
    return ((mix(state ^ jnp.uint32(0x01234567)) % 9).astype(jnp.float32) - 4) / 64


def value(state):
    return ((mix(state ^ jnp.uint32(0x89ABCDEF)) % 65).astype(jnp.float32) - 32) / 64


def logits(state):
    shift = (mix(state ^ jnp.uint32(0x5BD1E995)) % ACTIONS).astype(jnp.int32)
    parts = jnp.array(PARTS, jnp.float32)
    return jnp.log(parts[(jnp.arange(ACTIONS) + shift) % ACTIONS] / 65535)


def recurrent(discount, params, key, action, state):
    del params, key
    state = jax.vmap(child)(state, action)
    return mctx.RecurrentFnOutput(
        reward=jax.vmap(reward)(state), discount=jnp.full(state.shape, discount, jnp.float32),
        prior_logits=jax.vmap(logits)(state), value=jax.vmap(value)(state)), state


def plain_values(tree, node):
    """Means as they are, 0 where an action was never tried."""
    return jnp.where(tree.children_visits[node] > 0, tree.qvalues(node), 0.0)


@functools.partial(jax.jit, static_argnums=(1, 2, 3, 4))
def search(states, selection, turn, simulations, considered):
    root = mctx.RootFnOutput(prior_logits=jax.vmap(logits)(states), value=jax.vmap(value)(states), embedding=states)
    step = functools.partial(recurrent, -1.0 if turn == "alternating" else 1.0)
    key = jax.random.PRNGKey(1)
    if selection == "puct":
        out = mctx.muzero_policy(
            None, key, root, step, simulations, qtransform=plain_values, dirichlet_fraction=0.0,
            pb_c_init=EXPLORATION, pb_c_base=1e12, temperature=0.0)
    else:
        out = mctx.gumbel_muzero_policy(
            None, key, root, step, simulations, max_num_considered_actions=considered, gumbel_scale=0.0)
    return out.action, out.search_tree.summary().visit_counts


def main():
    print("# selection turn simulations considered root action visits")
    print("# mctx", mctx.__version__, "jax", jax.__version__)
    roots = jnp.arange(1, 17, dtype=jnp.uint32) * jnp.uint32(7919)
    for turn in ("single", "alternating"):
        for selection, considered in (("puct", 0), ("gumbel", 2), ("gumbel", 4), ("gumbel", 5)):
            for simulations in (1, 2, 4, 8, 16, 32, 64, 200):
                actions, visits = search(roots, selection, turn, simulations, considered)
                for root, action, row in zip(roots.tolist(), actions.tolist(), visits.tolist()):
                    print(selection, turn, simulations, considered, root, action, *map(int, row))


if __name__ == "__main__":
    main()
