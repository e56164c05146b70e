"""Tables of oblique impacts have corners: between sliding and sticking a fit has several minima.
All are found here, division by division.

An impact slides throughout where the tangential impulse that would turn its slip round, over its
normal impulse, exceeds the friction coefficient. Sorted by that ratio, the impacts that stick come
first. So for n impacts there are n + 1 divisions. In each, the fit is a smooth problem (friction
from the impacts that slide, tangential restitution from those that stick); where its minimum
contradicts the division, the best point of the division lies on one of its two corners, where one
impact just slides. Minima within divisions and on corners are all there are.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

import jaxcontact as jc
from calibration.model.parameter import has_transform
from calibration.optimise.coordinates import Start
from calibration.optimise.small_problems import minimise_small
from calibration.problem.assigned_impacts import (
    COEFFICIENT,
    TANGENTIAL,
    AssignedData,
    AssignedImpacts,
    impulse_ratio,
    on_corner,
)
from calibration.problem.residuals import Layout, jacobians, residuals
from calibration.problem.table_batch import ImpactData, TableBatch
from jaxcontact.numerics.compilation import quick_jit
from jaxcontact.parameters import get

LANES = 64
"""Divisions in one ``vmap``; the last part is filled up, so that all share compiled code."""

MOST = 96
"""At most so many divisions are tried; of more impacts, equally many lie between two of them."""

STEPS = 60
"""Iterations of each smooth problem."""

SAME = 1e-6
"""Chi-squared of two places that differs by less is one minimum: a division that ends on its
corner.
"""

ROUNDING = 1e-6
"""Relative part of the ratio to friction within which an impact is on its corner."""


class Divided(NamedTuple):
    """Minima of one division after the other, corners between them, in the order of the ratio.

    Attributes:
        shared: coordinates (m, S) of each.
        chi2: (m,) of the true problem there; infinite where a minimum contradicts its division.
        corner: (m,) whether it is on a corner.
    """

    shared: np.ndarray
    chi2: np.ndarray
    corner: np.ndarray

    @property
    def best(self) -> int:
        """Position of the lowest."""
        return int(np.argmin(self.chi2))

    def modes(self) -> np.ndarray:
        """Positions of the local minima, best first: what no neighbour undercuts."""
        known = np.flatnonzero(np.isfinite(self.chi2))
        chi2 = np.concatenate([[np.inf], self.chi2[known], [np.inf]])
        low = (chi2[1:-1] < chi2[:-2] - SAME) & (chi2[1:-1] <= chi2[2:] + SAME)
        places = known[low]
        return places[np.argsort(self.chi2[places], kind="stable")]


def has_corners(layout: Layout, scene: jc.Scene, frozen: np.ndarray) -> bool:
    """Whether a problem is one of impact tables whose friction has a corner that moves."""
    contact = scene.contact
    if not isinstance(contact, jc.ContactModel) or not isinstance(contact.friction, jc.Coulomb):
        return False
    moving = {name for name, held in zip(layout.names, frozen, strict=True) if not held}
    tables = all(isinstance(batch, TableBatch) for batch in layout.batches)
    return tables and contact.friction.smoothing == 0.0 and bool({COEFFICIENT, TANGENTIAL} & moving)


class Places(NamedTuple):
    """Where divisions lie: ``limit`` (m,) of the ratio up to which impacts stick, in increasing
    order; every second one is a ``corner``, the ratio of an impact that just slides.
    """

    limit: np.ndarray
    corner: np.ndarray


def divide_impacts(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    start: Start,
    *,
    places: Places | None = None,
    begins: np.ndarray | None = None,
) -> Divided:
    """Minima of all divisions of the impacts into those that stick and those that slide.

    Args:
        layout: structure of a problem that ``has_corners``.
        scene: of the problem.
        data: of the problem.
        start: where each smooth problem begins; frozen coordinates keep it.
        places: divisions to be tried; by default all.
        begins: coordinates (k, S) to begin at instead, each in all divisions; the k m results then
            follow each other.
    """
    places = place_divisions(layout, scene, data, start) if places is None else places
    begins = start.shared[None] if begins is None else begins
    lanes = len(begins) * places.limit.size
    which = np.minimum(np.arange(-(-lanes // LANES) * LANES), lanes - 1)
    place, ratio = which % places.limit.size, ratios(layout, scene, data, start.shared)
    follows = follower(layout, start)
    parts = []
    for rows in which.reshape(-1, LANES):
        here = rows % places.limit.size
        assigned = tuple(
            assign(own, one, places.limit[here], follows * places.corner[here], data, ratio)
            for own, one in zip(data, ratio, strict=True)
        )
        parts.append(
            _minima(layout, scene, data, assigned, start, begins[rows // places.limit.size])
        )
    shared, true, assumed = (np.concatenate(column)[:lanes] for column in zip(*parts, strict=True))
    corner = places.corner[place[:lanes]]
    agrees = corner | (np.abs(true - assumed) <= ROUNDING * (1 + np.abs(true)))
    return Divided(shared, np.where(np.isfinite(true) & agrees, true, np.inf), corner)


def place_divisions(layout: Layout, scene: jc.Scene, data: tuple[Any, ...], start: Start) -> Places:
    """All divisions, or ``MOST`` of them."""
    ratio = ratios(layout, scene, data, start.shared)
    counted = [
        one[np.any(np.asarray(own.samples[0].weight) > 0, axis=-1)]
        for one, own in zip(ratio, data, strict=True)
    ]
    every = np.unique(np.concatenate(counted))
    every = every[every > 0]
    chosen = np.unique(np.linspace(0, every.size - 1, min(every.size, MOST)).astype(int))
    corners = every[chosen] if follower(layout, start) else np.empty(0)
    limit = np.empty(2 * corners.size + 1)
    limit[1::2] = corners
    limit[2:-1:2] = np.sqrt(corners[1:] * corners[:-1])
    limit[0], limit[-1] = 0.0, np.inf
    return Places(limit, np.arange(limit.size) % 2 == 1)


def follower(layout: Layout, start: Start) -> int:
    """What follows from the impact that just slides: 1 the friction coefficient, 2 the tangential
    restitution; 0 where neither may move.
    """
    moving = {
        name for name, held in zip(layout.names, np.asarray(start.frozen), strict=True) if not held
    }
    return 1 if COEFFICIENT in moving else 2 if TANGENTIAL in moving else 0


def ratios(
    layout: Layout, scene: jc.Scene, data: tuple[Any, ...], shared: np.ndarray
) -> tuple[np.ndarray, ...]:
    """``impulse_ratio`` of all impacts (R, n) of each batch."""
    there = layout.at(scene, jnp.asarray(shared))[0]
    return tuple(np.asarray(impulse_ratio(there, own.speed, own.angle, own.spin)) for own in data)


def assign(
    own: ImpactData,
    ratio: np.ndarray,
    limit: np.ndarray,
    follows: np.ndarray,
    data: tuple[Any, ...],
    every: tuple[np.ndarray, ...],
) -> AssignedData:
    """The data of one batch with a leading axis of lanes, impacts up to ``limit`` (lanes,)
    sticking.
    """
    lanes, tables = limit.size, ratio.shape[0]
    before = np.concatenate(
        [np.stack([other.speed, other.angle, other.spin], axis=-1).reshape(-1, 3) for other in data]
    )
    nearest = np.argmin(
        np.abs(
            np.concatenate([one.ravel() for one in every]) - np.where(follows, limit, 0.0)[:, None]
        ),
        axis=1,
    )
    impacts = jax.tree.map(lambda array: np.broadcast_to(array, (lanes, *np.shape(array))), own)
    return AssignedData(
        samples=impacts.samples,
        impacts=impacts,
        slides=ratio > limit[:, None, None],
        corner=np.broadcast_to(before[nearest][:, None], (lanes, tables, 3)),
        on_corner=np.broadcast_to(follows[:, None], (lanes, tables)),
    )


def _minima(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    assigned: tuple[AssignedData, ...],
    start: Start,
    begins: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the assigned problems end, chi-squared of the true problem there, and of theirs."""
    local = tuple(np.broadcast_to(own, (len(begins), *np.shape(own))) for own in start.local)

    def evaluate(shared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        residual, by, *_ = _evaluate(layout, scene, data, assigned, shared, local)
        return np.asarray(residual), np.asarray(by)

    found, assumed = minimise_small(
        evaluate,
        begins,
        frozen=start.frozen,
        limited=has_transform(layout.global_parameters),
        steps=STEPS,
    )
    _, _, shared, true = _evaluate(layout, scene, data, assigned, found, local)
    return np.asarray(shared), np.asarray(true), assumed


def _evaluate_traced(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    assigned: tuple[AssignedData, ...],
    shared: ArrayLike,
    local: tuple[ArrayLike, ...],
) -> tuple[jax.Array, ...]:
    """Of each lane: residuals and derivatives of the assigned problem, coordinates with what
    follows from a corner put in, and chi-squared of the true problem there.
    """
    smooth = dataclasses.replace(
        layout, batches=tuple(AssignedImpacts(batch) for batch in layout.batches)
    )

    def one(assigned: Any, shared: jax.Array, local: Any) -> tuple[jax.Array, ...]:
        blocks = jacobians(smooth, scene, shared, local, assigned)
        residual = jnp.concatenate([block.residual.ravel() for block in blocks])
        by = jnp.concatenate(
            [block.by_shared.reshape(-1, block.by_shared.shape[-1]) for block in blocks]
        )
        whole = put_corner(layout, scene, shared, jax.tree.map(lambda own: own[0], assigned[0]))
        parts = residuals(layout, scene, whole, local, data)
        chi2 = jnp.sum(jnp.stack([jnp.sum(part**2) for part in parts]))
        return residual, by, whole, chi2

    found: tuple[jax.Array, ...] = jax.vmap(one)(assigned, jnp.asarray(shared), local)
    return found


_evaluate = quick_jit(_evaluate_traced, static_argnames=("layout",))


def put_corner(
    layout: Layout, scene: jc.Scene, shared: jax.Array, assigned: AssignedData
) -> jax.Array:
    """Coordinates (S,) with what follows from the impact that just slides."""
    there = on_corner(layout.at(scene, shared)[0], assigned)
    for k, parameter in enumerate(layout.scene_parameters):
        for which, path in ((1, COEFFICIENT), (2, TANGENTIAL)):
            if parameter.name == path:
                moved = parameter.coordinate(get(there, path))
                shared = shared.at[k].set(jnp.where(assigned.on_corner == which, moved, shared[k]))
    return shared
