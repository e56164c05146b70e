"""The search for the length of a step that ends just before a motion turns round."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.simulation.multibody.reversals import (
    MOST_TRIES,
    Ahead,
    Left,
    Resisted,
    next_length,
    no_bracket,
    searched,
)

ENDS_AT = 1e-5
"""Speed at which a step is to end, in units of that at its start."""


def tries_of_search(bend, turns_at, jump):
    """How many tries a search takes, and whether it ends where it should, of a speed that falls
    from 1 to 0 in the time ``turns_at``, along a line with a ``bend``; it jumps there.
    """
    one = jnp.ones((1, 1))
    motion = Resisted(one[..., None], ENDS_AT * one, one > 0, one < 0, (1 - ENDS_AT) * one)
    ahead = Ahead(motion, None)

    def left_after(length):
        share = length / turns_at
        speed = (1 - share) * (1 + bend * share) - jnp.where(share > 1, jump, 0.0)
        return Left(ENDS_AT * one, (speed - ENDS_AT) * one)

    def tried(carry):
        bracket, length, _ = carry
        bracket, goes_on = searched(
            ahead,
            bracket,
            left_after(length),
            length,
            first=jnp.asarray(True),
            too_long=jnp.asarray(False),
        )
        return bracket, jnp.where(goes_on, next_length(ahead, bracket), length), goes_on

    first = jnp.ones(())
    start = no_bracket(ahead, first), first, jnp.asarray(True)
    bracket, length, _ = jax.lax.while_loop(lambda carry: carry[2], tried, start)
    excess = left_after(length).excess[0, 0]
    return bracket.tries, bracket.chosen[0, 0] & (excess > 0) & (excess <= ENDS_AT)


@pytest.mark.parametrize("jump", [0.0, 10.0])
def test_a_search_ends_just_before_the_motion_turns_round(jump):
    """It tried one length again and again where that ended behind the turn by rounding of its
    bounds, gave up, and the derivative of the time was lost.
    """
    random = np.random.default_rng(0)
    bends, turns = random.uniform(0.0, 3.0, 2000), random.uniform(0.01, 0.99, 2000)
    tries, ends = jax.vmap(lambda bend, at: tries_of_search(bend, at, jump))(bends, turns)
    assert np.all(ends)
    assert np.max(tries) < MOST_TRIES
