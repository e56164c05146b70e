"""A buffer that stops a mass with the least peak force within a given stroke.

No force within the stroke ``d`` is smaller than the constant one ``m v^2/(2 d)``. Two laws are
designed, ``F = k d + c d'``, of which the best is known in closed form without a limit of the
rebound (J. C. Snowdon, Vibration and Shock in Damped Mechanical Systems, Wiley 1968), and
``F = k d + (c_0 + c_1 d) d'``, written here; both with a contact that ends where the force would
pull.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

import jaxcontact as jc
from experiments.design_studies.constrained import minimise

MASS, SPEED, STROKE = 1.0, 2.0, 0.05
"""Of the mass [kg], its approach [m/s], and the buffer [m]."""

LEAST = MASS * SPEED**2 / (2 * STROKE)
"""Peak force of a constant one [N]."""

RADIUS = 0.1
MOMENTS = jnp.linspace(0.0, 1.0, 101)
"""Places in the contact at which force and overlap are limited, as shares of its duration."""

jc.laws.QUANTITIES["damping_at_touch"] = jc.quantity(
    unit="N s/m", label="damping at touch-down", symbol="c_0", interval="[0, inf)", transform="log"
)
jc.laws.QUANTITIES["damping_slope"] = jc.quantity(
    unit="N s/m^2", label="growth of the damping with the overlap", symbol="c_1"
)


@jc.law(
    family="damping",
    source="F = k d + (c_0 + c_1 d) d'",
    smoothness=-1,
    example={
        "overlap": 1e-2,
        "overlap_rate": 0.4,
        "stiffness": 800.0,
        "damping_at_touch": 20.0,
        "damping_slope": 100.0,
    },
    switches=({"overlap": 0.0},),
    corners=({"overlap": -1e-3},),
    energy=lambda overlap, stiffness: stiffness * jnp.maximum(overlap, 0.0) ** 2 / 2,
    conjugate="overlap_rate",
)
def buffer_force(
    overlap: jax.Array,
    overlap_rate: jax.Array,
    *,
    stiffness: float,
    damping_at_touch: float,
    damping_slope: float,
) -> jax.Array:
    """``F = k d + (c_0 + c_1 d) d'`` [N] for ``d > 0``, else 0."""
    damping = damping_at_touch + damping_slope * overlap
    force = stiffness * overlap + damping * overlap_rate
    return jnp.where(jnp.greater(overlap, 0.0), force, 0.0)


Buffer = jc.normal_law(buffer_force, end="zero_force")


class Family(NamedTuple):
    """Buffers of one law.

    Attributes:
        law: of a design, which is of the order of one.
        start: of the search.
        bounds: of the design.
    """

    law: Callable[[jax.Array], jc.laws.SmoothLaw]
    start: tuple[float, ...]
    bounds: tuple[tuple[float, float], ...]


class Stop(NamedTuple):
    """A contact of the mass with the buffer.

    Attributes:
        force: at ``MOMENTS`` of the contact [N].
        overlap: then [m].
        rebound: speed afterwards over that before.
    """

    force: jax.Array
    overlap: jax.Array
    rebound: jax.Array


FAMILIES = {
    "linear": Family(
        lambda design: jc.LinearDashpot(
            stiffness=1e3 * design[0], restitution=design[1], end="zero_force"
        ),
        (1.0, 0.6),
        ((0.05, 20.0), (0.02, 0.98)),
    ),
    "progressive": Family(
        lambda design: Buffer(
            stiffness=1e3 * design[0],
            damping_at_touch=20.0 * design[1],
            damping_slope=400.0 * design[2],
        ),
        (0.6, 1.0, 0.0),
        ((1e-3, 10.0), (0.0, 10.0), (-5.0, 5.0)),
    ),
}


def stop(law: jc.laws.SmoothLaw) -> Stop:
    """Simulate the contact."""
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(normal=law),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(position=(0.0, 0.0, RADIUS), velocity=(0.0, 0.0, -SPEED))
    method = jc.EventAligned(max_contacts=1, level=True)
    contacts = jc.simulate(scene, start, jnp.array([0.0, 1.0]), method=method).contacts
    assert contacts is not None
    motion = jc.simulate(scene, start, contacts.lift_off[0] * MOMENTS, method=method)
    overlap, rate = RADIUS - motion.position[:, 2], -motion.velocity[:, 2]
    force = law.force(overlap, rate, impact_speed=SPEED, mass=MASS)
    return Stop(force, overlap, -rate[-1] / SPEED)


def find_buffer(family: Family, *, largest_rebound: float = 1.0) -> NDArray[np.float64]:
    """The design with the least peak force.

    Args:
        family: of laws.
        largest_rebound: largest speed afterwards, over that before.
    """

    def margins(limit_and_design: jax.Array) -> jax.Array:
        found = stop(family.law(limit_and_design[1:]))
        return jnp.concatenate(
            [
                limit_and_design[0] - found.force[1:] / LEAST,
                1.0 - found.overlap / STROKE,
                jnp.reshape(largest_rebound - found.rebound, 1),
            ]
        )

    first = float(jnp.max(jax.jit(lambda d: stop(family.law(d)).force)(jnp.array(family.start))))
    return minimise(
        lambda limit_and_design: limit_and_design[0],
        (first / LEAST, *family.start),
        bounds=((0.0, 100.0), *family.bounds),
        positive=margins,
    )[1:]
