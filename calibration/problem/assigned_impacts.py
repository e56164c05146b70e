"""Impact tables whose impacts are assigned to sliding or sticking beforehand: between the corners
of Coulomb friction, a fit is a smooth problem.
"""

import dataclasses
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

import jaxcontact as jc
from calibration.model.samples import Samples
from calibration.problem.table_batch import ImpactData, ImpactRows, TableBatch, outcome
from calibration.problem.trial_batch import weighted
from jaxcontact.laws.core.friction_interfaces import ImpulseFriction
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.friction.coulomb import tangential_impulse
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import get, model, of, put

COEFFICIENT = "contact.friction.coefficient"
TANGENTIAL = "contact.friction.tangential_restitution"

LARGE = 1e9
"""A friction coefficient with which every impact sticks, a tangential restitution with which every
impact slides.
"""


@model
class AssignedFriction(ImpulseFriction):
    """Coulomb friction of an impact that slides throughout, or sticks, whatever its slip is.

    Args:
        slides: whether it slides.
    """

    coefficient: Real = of(QUANTITIES["coefficient"])
    tangential_restitution: Real = of(QUANTITIES["tangential_restitution"])
    slides: Any = False

    def slip_after(self, slip: Real, specific_impulse: Real) -> jax.Array:
        """Slip ``(..., k)`` [m/s] after the whole normal impulse."""
        return jnp.add(
            slip,
            tangential_impulse(
                slip,
                specific_impulse,
                coefficient=jnp.where(self.slides, self.coefficient, LARGE),
                tangential_restitution=jnp.where(self.slides, LARGE, self.tangential_restitution),
            ),
        )


class AssignedData(NamedTuple):
    """Impacts of tables (R, n) with what each is assigned to.

    Attributes:
        samples, impacts: as in ``ImpactData``.
        slides: (R, n) whether an impact is taken to slide throughout.
        corner: (R, 3) speed [m/s], angle [deg] and spin [rad/s] of the impact that just slides.
        on_corner: (R,) 1 where the friction coefficient follows from that impact, 2 where the
            tangential restitution does, else 0.
    """

    samples: tuple[Samples, ...]
    impacts: ImpactData
    slides: Any
    corner: Any
    on_corner: Any


@dataclasses.dataclass(frozen=True)
class AssignedImpacts(ImpactRows):
    """Structure of impact tables with assigned impacts. Hashable: part of compiled code.

    Attributes:
        table: structure of the tables.
    """

    table: TableBatch

    def predict(self, scene: jc.Scene, data: AssignedData) -> jax.Array:
        """Quantities after each impact, (n, quantities)."""
        scene = on_corner(scene, data)

        def one(slides: jax.Array, *before: jax.Array) -> jax.Array:
            law = AssignedFriction(
                coefficient=get(scene, COEFFICIENT),
                tangential_restitution=get(scene, TANGENTIAL),
                slides=slides,
            )
            after = outcome(put(scene, "contact.friction", law), *before)
            return jnp.stack([after[name] for name in self.table.quantities])

        impacts = data.impacts
        return jax.vmap(one)(data.slides, impacts.speed, impacts.angle, impacts.spin)

    def residual_and_status(
        self, scene: jc.Scene, shared: tuple[Any, ...], local: jax.Array, data: AssignedData
    ) -> tuple[jax.Array, jax.Array]:
        """Weighted residuals of one table, and success."""
        residual = weighted(self.predict(scene, data), data.samples[0])
        return residual, jnp.asarray(jc.Status.SUCCESS)


def on_corner(scene: jc.Scene, data: AssignedData) -> jc.Scene:
    """The scene in which the chosen impact of one table just slides, ``mu = (1 + e_t)`` times its
    ``impulse_ratio``; as it is where none is chosen.
    """
    friction = scene.contact.friction
    ratio = impulse_ratio(scene, *data.corner)
    coefficient = jnp.where(
        data.on_corner == 1, ratio * (1 + friction.tangential_restitution), friction.coefficient
    )
    rebound = jnp.where(
        data.on_corner == 2,
        jnp.clip(friction.coefficient / jnp.where(ratio > 0, ratio, 1.0) - 1, -1.0, 1.0),
        friction.tangential_restitution,
    )
    return put(put(scene, COEFFICIENT, coefficient), TANGENTIAL, rebound)


def impulse_ratio(
    scene: jc.Scene, speed: ArrayLike, angle: ArrayLike, spin: ArrayLike
) -> jax.Array:
    """Tangential over normal impulse that just stops the slip s of impacts: ``|s|/((1 + 1/kappa)(1
    + e) v_n)``, with the normal speed v_n and the inertia ratio kappa.
    """
    bodies, radians = scene.bodies, jnp.deg2rad(angle)
    slip = speed * jnp.sin(radians) - bodies.radius * jnp.asarray(spin)
    down = speed * jnp.cos(radians)
    restitution = scene.contact.normal.restitution_at(down, mass=bodies.mass)
    return jnp.abs(slip) * (bodies.tangential_mass / bodies.mass) / ((1 + restitution) * down)
