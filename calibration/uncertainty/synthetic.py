"""Data as a model would give them: without noise, and with the noise that the weights of the
problem describe.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.model.samples import Samples
from calibration.noise.whitening import unwhiten
from calibration.problem.residuals import Layout, over_trials


@partial(jax.jit, static_argnames="layout")
def expected_data(
    layout: Layout,
    scene: jc.Scene,
    shared: jax.Array,
    local: tuple[jax.Array, ...],
    data: tuple[Any, ...],
) -> tuple[Any, ...]:
    """The data with what the model predicts at coordinates ``shared`` and ``local`` in place of
    what was measured.
    """

    def of_batch(k: int) -> Any:
        def one(own: jax.Array, data: Any) -> tuple[jax.Array, ...]:
            return layout.expected(k, scene, shared, own, data)

        predicted = over_trials(one, local[k], data[k], scene=scene)
        # Padding may be predicted to be anything; it has no weight.
        measured = [
            jnp.where(own.weight > 0, part, 0.0)
            for part, own in zip(predicted, data[k].samples, strict=True)
        ]
        return data[k]._replace(
            samples=tuple(
                own._replace(measured=part)
                for own, part in zip(data[k].samples, measured, strict=True)
            )
        )

    return tuple(of_batch(k) for k in range(len(layout.batches)))


def simulate_measurements(
    rng: np.random.Generator, data: tuple[Any, ...], count: int
) -> tuple[Any, ...]:
    """The data ``count`` times (a leading axis) with normally distributed noise, of the size and
    the correlation that the samples have.
    """
    return tuple(
        batch._replace(
            **_repeat_rest(batch, count),
            samples=tuple(_add_noise(rng, own, count) for own in batch.samples),
        )
        for batch in data
    )


def repeat_data(data: tuple[Any, ...], measured: Sequence[Sequence[np.ndarray]]) -> tuple[Any, ...]:
    """The data with a leading axis, and other measured numbers.

    Args:
        data: of each batch.
        measured: (B, R, n, k) of each observation of each batch.
    """

    def repeat(samples: Samples, numbers: np.ndarray) -> Samples:
        count = len(numbers)
        return jax.tree.map(
            lambda value: np.broadcast_to(np.asarray(value), (count, *np.shape(value))), samples
        )._replace(measured=numbers)

    return tuple(
        batch._replace(
            **_repeat_rest(batch, len(own[0])),
            samples=tuple(map(repeat, batch.samples, own)),
        )
        for batch, own in zip(data, measured, strict=True)
    )


def _repeat_rest(batch: Any, count: int) -> dict[str, Any]:
    """Everything but the samples, with a leading axis."""

    def repeat(value: Any) -> np.ndarray:
        return np.broadcast_to(np.asarray(value), (count, *np.shape(value)))

    return {
        name: jax.tree.map(repeat, getattr(batch, name))
        for name in batch._fields
        if name != "samples"
    }


def _add_noise(rng: np.random.Generator, samples: Samples, count: int) -> Samples:
    weight = np.asarray(samples.weight)
    noise = rng.standard_normal((count, *weight.shape))
    if samples.whitening is not None:
        # Replicates are so many columns.
        noise = np.moveaxis(unwhiten(np.moveaxis(noise, 0, -1), samples.whitening), -1, 0)
    measured = np.asarray(samples.measured) + np.where(
        weight > 0, noise / np.where(weight > 0, weight, 1.0), 0.0
    )
    repeated = jax.tree.map(
        lambda value: np.broadcast_to(np.asarray(value), (count, *np.shape(value))), samples
    )
    return repeated._replace(measured=measured)
