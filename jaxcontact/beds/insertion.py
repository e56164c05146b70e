"""Spheres that come into a bed and leave it, between two simulations."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.beds.bed import Bed, check_count, check_kind
from jaxcontact.beds.components import from_last_axis
from jaxcontact.beds.contact_lists import Pairs, WallContacts
from jaxcontact.beds.steps import BedState
from jaxcontact.scene.bodies import Spheres
from jaxcontact.scene.scene import State


def insert_spheres(
    bed: Bed, end: BedState, spheres: Spheres, start: State, *, kind: ArrayLike | None = None
) -> tuple[Bed, BedState]:
    """A bed with more spheres, and the state in which it goes on: those that are there keep the
    springs of their contacts; the new ones are numbered behind them.

    Args:
        bed: that was simulated.
        end: ``end`` of its trajectory.
        spheres: the new ones.
        start: theirs, with a body axis. Where they begin in others the next simulation has the
            status ``DEEP_OVERLAP``, if by much.
        kind: number of the kind of each; ``None``: 0 where the bed has several kinds.

    Raises:
        TypeError, ValueError: naming the argument and the remedy.

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> first = jc.simulate_bed(bed, jc.state(position=[(0.0, 0.0, 0.005)]), [0.0, 0.01])
        >>> more = jc.state(position=[(0.0, 0.0, 0.02)], velocity=[(0.0, 0.0, -1.0)])
        >>> bed, start = jc.insert_spheres(
        ...     bed, first.end, jc.spheres(radius=4e-3, density=2500.0), more
        ... )
        >>> jc.simulate_bed(bed, start, [0.01, 0.02])
        <BedTrajectory: 2 times, 2 spheres, SUCCESS>
    """
    there = _checked(bed, end)
    if not isinstance(start, State) or start.position.ndim != 2:
        raise TypeError(
            f"insert_spheres: start = {type(start).__name__} is no State of several spheres. Make "
            "one with state(position=...), of shape (spheres, 3)."
        )
    if not isinstance(spheres, Spheres):
        raise TypeError(
            f"insert_spheres: spheres = {spheres!r} is no Spheres. Make them with "
            "spheres(radius=..., density=...)."
        )
    new = start.position.shape[0]
    check_count("insert_spheres: spheres", spheres, new, "start")
    if start.orientation is not None:
        raise ValueError("insert_spheres: start.orientation is given, but spheres have none.")
    if kind is not None:
        if bed.kind is None:
            raise ValueError(
                f"insert_spheres: kind = {kind!r} is given, but the spheres come into a bed of 1 "
                "kinds, whose bed.kind is None. Leave it out."
            )
        check_kind("insert_spheres: kind", kind, new, bed.kinds)

    def both(one: Any, other: Any) -> jax.Array:
        old = jnp.broadcast_to(jnp.asarray(one), (there,))
        return jnp.concatenate([old, jnp.broadcast_to(jnp.asarray(other), (new,))])

    kinds = None if bed.kind is None else both(bed.kind, 0 if kind is None else kind)
    particles = end.particles
    real = particles.radius.dtype
    nothing = jnp.zeros(new, real)  # radius and mass of all are those of the bed that goes on

    def grown(old: Any, more: jax.Array) -> Any:
        return tuple(
            jnp.concatenate([one, other.astype(real)])
            for one, other in zip(old, from_last_axis(more), strict=True)
        )

    def wider(contacts: Pairs | WallContacts) -> Any:
        return contacts._replace(
            slot=jnp.pad(contacts.slot, ((0, 0), (0, new))),
            sign=jnp.pad(contacts.sign, ((0, 0), (0, new))),
        )

    label = jnp.concatenate(
        [particles.label, jnp.arange(there, there + new, dtype=particles.label.dtype)]
    )
    position = grown(particles.position, start.position)
    _, far, since = end.listed
    return (
        bed.replace(spheres=jax.tree.map(both, bed.spheres, spheres), kind=kinds),
        end._replace(
            particles=particles._replace(
                position=position,
                velocity=grown(particles.velocity, start.velocity),
                spin=grown(particles.spin, start.spin),
                radius=jnp.concatenate([particles.radius, nothing]),
                mass=jnp.concatenate([particles.mass, nothing]),
                inertia=jnp.concatenate([particles.inertia, nothing]),
                kind=jnp.pad(particles.kind, (0, new)),
                label=label,
            ),
            pairs=wider(end.pairs),
            wall_contacts=wider(end.wall_contacts),
            listed=(position, jnp.pad(far, ((0, 0), (0, new))), since),
        ),
    )


def remove_spheres(bed: Bed, end: BedState, numbers: ArrayLike) -> tuple[Bed, BedState]:
    """A bed without some of its spheres, and the state in which it goes on: the others keep the
    springs of their contacts, and their order; their numbers close up.

    Args:
        bed: that was simulated.
        end: ``end`` of its trajectory, known before tracing.
        numbers: of the spheres that leave, in the order in which they were given.

    Raises:
        TypeError, ValueError: naming the argument and the remedy.

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.005), (0.0, 0.0, 0.0149)])
        >>> first = jc.simulate_bed(bed, start, [0.0, 0.01])
        >>> bed, start = jc.remove_spheres(bed, first.end, [1])
        >>> jc.simulate_bed(bed, start, [0.01, 0.02])
        <BedTrajectory: 2 times, 1 spheres, SUCCESS>
    """
    there = _checked(bed, end)
    given = np.asarray(numbers)
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(
            f"remove_spheres: numbers holds {given.dtype}, but must hold whole numbers, those of "
            "the spheres that leave. Of a mask numpy.flatnonzero(mask) gives them."
        )
    gone = np.unique(given.astype(int))
    if gone.size and (gone[0] < 0 or gone[-1] >= there):
        raise ValueError(
            f"remove_spheres: numbers goes from {gone[0]} to {gone[-1]}, but the bed has {there} "
            f"spheres: 0 to {there - 1}."
        )
    if gone.size == there:
        raise ValueError("remove_spheres: numbers names every sphere. Leave at least one.")
    stays = np.setdiff1d(np.arange(there), gone)
    label = np.asarray(end.particles.label)
    rows = np.flatnonzero(np.isin(label, stays))
    row_now = np.full(there, -1)
    row_now[rows] = np.arange(rows.size)

    def of_those(value: Any) -> Any:
        return value if np.size(value) == 1 else jnp.asarray(value)[stays]

    pairs, contacts = end.pairs, end.wall_contacts
    ends = [row_now[np.asarray(rows_of)] for rows_of in (pairs.i, pairs.j)]
    whole = (ends[0] >= 0) & (ends[1] >= 0)
    slot = np.asarray(pairs.slot)[:, rows]
    sphere = row_now[np.asarray(contacts.sphere)]
    (x, y, z), far, since = end.listed
    return (
        bed.replace(
            spheres=jax.tree.map(of_those, bed.spheres),
            kind=None if bed.kind is None else jnp.asarray(bed.kind)[stays],
        ),
        end._replace(
            particles=jax.tree.map(lambda column: column[rows], end.particles)._replace(
                label=jnp.asarray(np.searchsorted(stays, label[rows]), end.particles.label.dtype)
            ),
            pairs=pairs._replace(
                i=jnp.asarray(np.maximum(ends[0], 0), pairs.i.dtype),
                j=jnp.asarray(np.maximum(ends[1], 0), pairs.j.dtype),
                live=pairs.live & whole,
                slot=jnp.asarray(slot),
                sign=jnp.where(whole[slot], pairs.sign[:, rows], 0),
            ),
            wall_contacts=contacts._replace(
                sphere=jnp.asarray(np.maximum(sphere, 0), contacts.sphere.dtype),
                live=contacts.live & (sphere >= 0),
                slot=contacts.slot[:, rows],
                sign=contacts.sign[:, rows],
            ),
            listed=((x[rows], y[rows], z[rows]), far[:, rows], since),
        ),
    )


def _checked(bed: Bed, end: BedState) -> int:
    """Number of spheres."""
    if not isinstance(end, BedState):
        raise TypeError(
            f"insert_spheres, remove_spheres: end = {type(end).__name__} is no BedState. Give "
            "result.end of simulate_bed."
        )
    there = end.particles.label.shape[0]
    if np.size(bed.spheres.radius) not in (1, there):
        raise ValueError(
            f"insert_spheres, remove_spheres: bed has {np.size(bed.spheres.radius)} spheres, but "
            f"end has {there}. Give the bed that was simulated."
        )
    return there
