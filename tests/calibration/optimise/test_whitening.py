"""What must hold of coordinates in which the information is round."""

import jax
import numpy as np
import pytest

from calibration.optimise.whitening import find_whitening
from calibration.problem.residuals import Block

SHARED, LOCAL, TRIALS, ROWS = 3, 2, 4, 9


def dense(blocks):
    """The Jacobian by all coordinates, those of trials behind the shared ones."""
    rows = []
    for trial in range(TRIALS):
        own = np.zeros((ROWS, TRIALS * LOCAL))
        own[:, trial * LOCAL : (trial + 1) * LOCAL] = blocks[0].by_local[trial]
        rows.append(np.concatenate([blocks[0].by_shared[trial], own], axis=1))
    known = np.zeros((SHARED, TRIALS * LOCAL))
    rows.append(np.concatenate([blocks[1].by_shared[0], known], axis=1))
    return np.concatenate(rows)


def root_of(whitening):
    """``M`` as a matrix."""

    def move(u):
        shared, (own,) = whitening.move(u[:SHARED], (u[SHARED:].reshape(TRIALS, LOCAL),))
        return np.concatenate([shared, own.ravel()])

    return np.stack([move(unit) for unit in np.eye(SHARED + TRIALS * LOCAL)], axis=1)


def blocks_of(seed):
    """Trials with coordinates of very different sizes, and prior knowledge of the shared ones."""
    noise = np.random.default_rng(seed)
    sizes = 10.0 ** noise.uniform(-3, 3, SHARED)
    return (
        Block(
            noise.normal(size=(TRIALS, ROWS)),
            noise.normal(size=(TRIALS, ROWS, SHARED)) * sizes,
            noise.normal(size=(TRIALS, ROWS, LOCAL)) * np.array([1e-2, 1e3]),
        ),
        Block(
            noise.normal(size=(1, SHARED)),
            np.diag(sizes)[None],
            np.zeros((1, SHARED, 0)),
        ),
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_information_is_round(seed):
    blocks = blocks_of(seed)
    every = np.ones(SHARED, dtype=bool), (np.ones((TRIALS, LOCAL), dtype=bool),)
    with jax.enable_x64(True):
        root = root_of(find_whitening(blocks, *every))
    jacobian = dense(blocks)
    np.testing.assert_allclose(
        root.T @ jacobian.T @ jacobian @ root, np.eye(root.shape[0]), rtol=0, atol=1e-8
    )


def test_what_is_held_or_not_seen_does_not_move():
    blocks = blocks_of(0)
    shared, own = np.array([True, False, True]), np.ones((TRIALS, LOCAL), dtype=bool)
    own[:, 1] = False
    unseen = np.array([1.0, 1.0, 0.0])
    blocks = tuple(block._replace(by_shared=block.by_shared * unseen) for block in blocks)
    with jax.enable_x64(True):
        root = root_of(find_whitening(blocks, shared, (own,)))
    still = np.concatenate([[False, True, True], ~own.ravel()])
    np.testing.assert_array_equal(root[still], 0.0)
    np.testing.assert_array_equal(np.any(root[~still] != 0, axis=1), True)
    assert np.all(np.isfinite(root))
