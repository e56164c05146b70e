"""First-order descent by any optimiser of Optax, in rounds.

An optimiser of Optax takes steps of the size of its learning rate, and knows nothing of directions
that are a million times flatter than others. So each round has its own coordinates ``v``: at its
beginning the Gauss-Newton matrix makes the sum of squares round (``Whitening``), and the components
of the Gauss-Newton step make the distance to the minimum about one in each of them. The steps are
those of Optax on the true sum of squares. A round ends when its gradient has fallen to a hundredth,
or after ``ROUND`` steps; the next begins at its best point, with a new optimiser. The search ends
where the Gauss-Newton step is short.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.typing import ArrayLike

from calibration.optimise.coordinates import Start, flatten, mark_movable, unflatten
from calibration.optimise.whitening import Whitening, find_whitening
from calibration.problem.residuals import Block

ROUND = 200
"""Steps of a round, at most: a learning rate of 0.05 with momentum settles in them."""

LEARNING_RATE = 0.05
"""Of the optimisers with a name, in units of the distance to the minimum."""

SETTLED = 1e-2
"""Least tolerance: length of the Gauss-Newton step, in standard deviations."""

FLAT = 1e-2
"""Largest component of the gradient, one at the beginning, at which a round ends."""

NEAREST = 0.01
"""Least distance of a direction, in units of the largest one."""

SHORTER, SHORTEST = 0.25, 1e-4
"""A round that found nothing better is followed by one of shorter steps, down to this share."""

OPTIMISERS: dict[str, Callable[[], optax.GradientTransformation]] = {
    "adam": lambda: optax.adam(optax.cosine_decay_schedule(LEARNING_RATE, ROUND)),
    "adamw": lambda: optax.adamw(optax.cosine_decay_schedule(LEARNING_RATE, ROUND)),
    "lion": lambda: optax.lion(optax.cosine_decay_schedule(LEARNING_RATE, ROUND)),
    "sgd": lambda: optax.sgd(LEARNING_RATE, momentum=0.9),
    "lbfgs": optax.lbfgs,
}
"""Optimisers of Optax that have a name here."""


class Coordinates(NamedTuple):
    """The coordinates of a round.

    Attributes:
        anchor: scaled step at which it began, (n,).
        whitening: there.
        distance: unit of each ``v`` [standard deviations], (n,).
    """

    anchor: jax.Array
    whitening: Whitening
    distance: jax.Array


class Search(NamedTuple):
    """What the search carries.

    Attributes:
        coordinates: of the round.
        place: ``v``, (n,).
        optimiser: state of the optimiser.
        best: scaled step of the best point (n,) and ``lowest`` the half sum of squares there.
        before: ``lowest`` at the beginning of the round.
        taken: steps so far; ``step`` those of the round.
        share: of the distance to the minimum that is the unit of ``v``.
        ended: whether the round is over, and whether the search has ``settled``.
    """

    coordinates: Coordinates
    place: jax.Array
    optimiser: Any
    best: jax.Array
    lowest: jax.Array
    before: jax.Array
    taken: jax.Array
    step: jax.Array
    share: jax.Array
    ended: jax.Array
    settled: jax.Array


def descend(
    residual: Callable[[jax.Array], tuple[jax.Array, tuple[Block, ...]]],
    begin: jax.Array,
    like: tuple[Block, ...],
    *,
    start: Start,
    scale: jax.Array,
    reach: jax.Array,
    tolerance: jax.Array,
    optimiser: optax.GradientTransformation,
    steps: ArrayLike,
    report: Callable[[Any, Any], None] | None,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Minimise half the sum of squares.

    Args:
        residual: residuals (all in one vector) and blocks at a scaled step from the start.
        begin: scaled step where the search begins, (n,).
        like: shapes of the blocks.
        start: of the minimisation; tells which coordinates may move.
        scale: of the coordinates.
        reach: largest scaled step in which the linear model holds, (n,).
        tolerance: length of the Gauss-Newton step [standard deviations] at which the search ends;
            at least ``SETTLED``.
        optimiser: of Optax.
        steps: at most so many.
        report: told the count and chi-squared, or ``None``.

    Returns:
        Best scaled step, steps that it took, and whether the search settled.
    """
    transformation = optax.with_extra_args_support(optimiser)
    movable = unflatten(mark_movable(start), start)
    size = sum(math.prod(block.residual.shape) for block in like)

    def offset(place: jax.Array, coordinates: Coordinates) -> jax.Array:
        """The scaled step from the anchor to ``v``."""
        moved = coordinates.whitening.move(*unflatten(coordinates.distance * place, start))
        return scale * flatten(*moved)

    def evaluate(point: jax.Array) -> tuple[jax.Array, tuple[Block, ...]]:
        """Half the sum of squares at a scaled step, and the blocks."""
        values, blocks = residual(point)
        return jnp.sum(values**2) / 2, blocks

    def differentiate(blocks: tuple[Block, ...], coordinates: Coordinates) -> jax.Array:
        """Gradient by ``v`` of half the sum of squares, over the largest distance squared."""
        shared = sum(jnp.einsum("rns,rn->s", block.by_shared, block.residual) for block in blocks)
        own = tuple(
            jnp.einsum("rnl,rn->rl", block.by_local, block.residual)
            for block, _ in zip(blocks, start.local, strict=False)
        )
        (gradient,) = jax.linear_transpose(lambda v: offset(v, coordinates), begin)(
            flatten(shared, own) / scale
        )
        return gradient / jnp.max(coordinates.distance) ** 2

    def begin_round(search: Search, blocks: tuple[Block, ...], half: jax.Array) -> Search:
        """A round at the best point."""
        round_ = Coordinates(search.best, find_whitening(blocks, *movable), jnp.ones_like(begin))
        newton = -differentiate(blocks, round_)
        settled = jnp.sum(newton**2) < (
            jnp.maximum(tolerance, SETTLED) ** 2 * jnp.maximum(2 * half / size, 1.0)
        )
        step = jnp.abs(offset(newton, round_))
        beyond = step > reach
        inside = jnp.min(jnp.where(beyond, reach, 1.0) / jnp.where(beyond, step, 1.0))
        far = jnp.abs(newton)
        distance = search.share * inside * jnp.maximum(far, NEAREST * jnp.max(far))
        nowhere = jnp.zeros_like(begin)
        return search._replace(
            coordinates=round_._replace(distance=jnp.where(settled, 1.0, distance)),
            place=nowhere,
            optimiser=transformation.init(nowhere),
            lowest=half,
            before=half,
            step=jnp.asarray(0),
            settled=settled,
        )

    def advance(search: Search) -> Search:
        """One step, the first of a round after finding its coordinates."""
        point = jnp.where(
            search.ended,
            search.best,
            search.coordinates.anchor + offset(search.place, search.coordinates),
        )
        half, blocks = evaluate(point)
        search = jax.lax.cond(
            search.ended, begin_round, lambda search, *_: search, search, blocks, half
        )
        coordinates = search.coordinates
        unit = jnp.max(coordinates.distance) ** 2

        def at(place: jax.Array) -> tuple[jax.Array, jax.Array]:
            there, about = evaluate(coordinates.anchor + offset(place, coordinates))
            return there / unit, differentiate(about, coordinates)

        @jax.custom_vjp
        def objective(place: jax.Array) -> jax.Array:
            return at(place)[0]

        objective.defvjp(at, lambda slope, cotangent: (cotangent * slope,))
        gradient = differentiate(blocks, coordinates)
        updates, state = transformation.update(
            gradient,
            search.optimiser,
            search.place,
            value=half / unit,
            grad=gradient,
            value_fn=objective,
        )
        if report is not None:
            jax.debug.callback(report, search.taken, 2 * half)
        lowest = jnp.minimum(half, search.lowest)  # NaN is never the best
        ended = (search.step + 1 >= ROUND) | (jnp.max(jnp.abs(gradient)) < FLAT)
        ended = ended | ~jnp.isfinite(half)
        share = jnp.where(
            lowest < search.before, jnp.minimum(1.0, search.share / SHORTER), SHORTER * search.share
        )
        return search._replace(
            place=optax.apply_updates(search.place, updates),
            optimiser=state,
            best=jnp.where(half < search.lowest, point, search.best),
            lowest=lowest,
            taken=search.taken + 1,
            step=search.step + 1,
            share=jnp.where(ended, share, search.share),
            ended=ended,
        )

    nothing = jax.tree.map(lambda one: jnp.zeros(one.shape, one.dtype), like)
    infinite = jnp.asarray(jnp.inf)
    first = Search(
        coordinates=Coordinates(begin, find_whitening(nothing, *movable), jnp.ones_like(begin)),
        place=jnp.zeros_like(begin),
        optimiser=transformation.init(jnp.zeros_like(begin)),
        best=begin,
        lowest=infinite,
        before=infinite,
        taken=jnp.asarray(0),
        step=jnp.asarray(0),
        share=jnp.ones(()),
        ended=jnp.asarray(True),
        settled=jnp.asarray(False),
    )
    last = jax.lax.while_loop(
        lambda search: (search.taken < steps) & ~search.settled & (search.share > SHORTEST),
        advance,
        first,
    )
    return last.best, last.taken, last.settled
