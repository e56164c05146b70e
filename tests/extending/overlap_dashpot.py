"""A normal law written outside the packages, from public names only: a contact of elastomer whose
damping is in proportion to the overlap.
"""

import jax.numpy as jnp

import jaxcontact as jc

jc.laws.QUANTITIES["overlap_damping"] = jc.quantity(
    unit="N s/m^2",
    label="damping over the overlap",
    symbol="c",
    interval="[0, inf)",
    transform="log",
)


@jc.law(
    family="damping",
    source="tests/extending",
    smoothness=0,
    example={"overlap": 1e-3, "overlap_rate": 0.4, "stiffness": 1e6, "overlap_damping": 2e3},
    switches=({"overlap": 0.0},),
    corners=({"overlap": -1e-3}, {"overlap_damping": 0.0}),
    energy=lambda overlap, stiffness: stiffness * jnp.maximum(overlap, 0.0) ** 2.5 / 2.5,
    conjugate="overlap_rate",
)
def overlap_dashpot_force(overlap, overlap_rate, *, stiffness, overlap_damping):
    """``F = K d^(3/2) + c d d'`` [N] for ``d > 0``, else 0."""
    touches = jnp.greater(overlap, 0.0)
    inside = jnp.where(touches, overlap, 1.0)
    force = stiffness * inside * jnp.sqrt(inside) + overlap_damping * inside * overlap_rate
    return jnp.where(touches, force, 0.0)


OverlapDashpot = jc.normal_law(overlap_dashpot_force)


@jc.model
class LogarithmicRestitution(jc.laws.RigidImpact):
    """A rigid law: ``e = e_1 v^(-q)``, at most 1."""

    restitution: float = jc.parameter(
        unit="-", label="restitution at 1 m/s", symbol="e_1", interval="(0, 1]", transform="logit"
    )
    velocity_exponent: float = jc.parameter(
        unit="-", label="exponent of the speed", symbol="q", interval="[0, inf)", default=0.1
    )
    duration: float = jc.laws.duration_field()
    deviation: float = jc.laws.deviation_field()

    def restitution_at(self, impact_speed, *, mass):
        """Restitution [-] at the approach speed [m/s]."""
        return jnp.minimum(self.restitution * impact_speed**-self.velocity_exponent, 1.0)
