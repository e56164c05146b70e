"""Rows of an impact table as trials: speed, angle and spin before one rigid impact each, and what
was measured after it.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

import jaxcontact as jc
from calibration.errors import InputError
from calibration.io.impact_table import ImpactTable
from calibration.model.parameter import Parameter
from calibration.model.samples import Samples
from calibration.problem.trial_batch import weighted
from jaxcontact.simulation.single_sphere.engine import rigid_impact, rigid_touch_down
from jaxcontact.simulation.single_sphere.flight import SphereMotion

QUANTITIES = {
    "rebound_angle": "rebound angle [deg]",
    "spin_after": "spin after [rad/s]",
    "tangential_restitution": "tangential restitution of the centre [-]",
    "normal_restitution": "normal restitution [-]",
    "rebound_speed": "rebound speed [m/s]",
}
"""Measured quantities and their labels."""

RELATIVE_NOISE = 0.02
"""Standard deviation assumed of a quantity whose noise is not given, relative to its largest
value.
"""


def outcome(
    scene: jc.Scene, speed: ArrayLike, angle: ArrayLike, spin: ArrayLike
) -> dict[str, jax.Array]:
    """All quantities after one impact on a horizontal plane; ``angle`` from the normal [deg],
    ``spin`` positive when rolling forward.
    """
    speed = jnp.asarray(speed)
    radians = jnp.deg2rad(angle)
    zero = jnp.zeros_like(speed)
    velocity = jnp.stack([speed * jnp.sin(radians), zero, -speed * jnp.cos(radians)])
    motion = SphereMotion(zero, jnp.zeros(3), velocity, jnp.stack([zero, spin, zero]))
    touch = rigid_touch_down(motion, jnp.array([0.0, 0.0, 1.0]), 0.0)
    after = jax.tree.map(
        lambda column: column[-1], rigid_impact(scene, touch, jnp.asarray(0)).motion
    )
    before = velocity[0]
    head_on = before == 0
    return {
        "rebound_angle": jnp.rad2deg(jnp.arctan2(after.velocity[0], after.velocity[2])),
        "spin_after": after.spin[1],
        "tangential_restitution": jnp.where(
            head_on, 1.0, after.velocity[0] / jnp.where(head_on, 1.0, before)
        ),
        "normal_restitution": -after.velocity[2] / velocity[2],
        "rebound_speed": jnp.sqrt(after.velocity[0] ** 2 + after.velocity[2] ** 2),
    }


class ImpactData(NamedTuple):
    """Impacts of tables (R, n): speed [m/s], angle from the normal [deg], spin [rad/s], and what
    was measured after each.
    """

    samples: tuple[Samples, ...]
    speed: Any
    angle: Any
    spin: Any


def count_from_zero(data: object) -> bool:
    """Whether each column of the samples of a batch is a quantity of its own that counts from zero,
    as ``finest_deviation`` asks: those of tables are, those of motions are not.
    """
    return isinstance(data, ImpactData)


class ImpactRows:
    """What batches of single impacts have in common: nothing is simulated, no trial has a quantity
    of its own, and there is no time.
    """

    own = ()
    axes = ()
    simulates = False

    @property
    def trial_parameters(self) -> tuple[Parameter, ...]:
        """None: the states before the impacts are taken as measured."""
        return ()

    @staticmethod
    def known(scene: jc.Scene, data: Any) -> jc.Scene:
        """The scene: nothing else is known of a table."""
        return scene

    @staticmethod
    def until(data: Any, ends: jax.Array) -> Any:
        """All of them: a table has no time."""
        return data


@dataclasses.dataclass(frozen=True)
class TableBatch(ImpactRows):
    """Structure of impact tables: what was measured. Hashable: part of compiled code.

    Attributes:
        quantities: measured quantities, names in ``QUANTITIES``.
    """

    quantities: tuple[str, ...]

    @classmethod
    def of(cls, table: ImpactTable) -> "TableBatch":
        """The structure of a table."""
        used = tuple(name for name in QUANTITIES if name in table.measured)
        if not used:
            raise InputError(
                "Nothing was measured after the impacts.",
                path=table.path,
                remedy=f"Give one of {', '.join(QUANTITIES)}.",
            )
        return cls(used)

    def data(self, tables: Sequence[ImpactTable]) -> ImpactData:
        """Arrays of tables of this structure."""
        longest = max(len(table) for table in tables)

        def column(values: Any, fill: float) -> np.ndarray:
            values = np.asarray(values, dtype=float)
            return np.concatenate(
                [np.where(np.isfinite(values), values, fill), np.full(longest - values.size, fill)]
            )

        measured, weight = [], []
        for table in tables:
            columns = [np.asarray(getattr(table, name), dtype=float) for name in self.quantities]
            sigma = np.stack(
                [
                    sigma_of(table, name, own)
                    for name, own in zip(self.quantities, columns, strict=True)
                ],
                axis=-1,
            )
            values = np.stack(columns, axis=-1)
            nothing = np.zeros((longest - len(table), len(columns)))
            measured.append(np.concatenate([np.nan_to_num(values), nothing]))
            weight.append(np.concatenate([np.where(np.isfinite(values), 1 / sigma, 0.0), nothing]))
        angle = np.stack([column(table.impact_angle, 0.0) for table in tables])
        return ImpactData(
            samples=(Samples(angle, np.stack(measured), np.stack(weight)),),
            speed=np.stack([column(table.impact_speed, 1.0) for table in tables]),
            angle=angle,
            spin=np.stack([column(table.spin_before, 0.0) for table in tables]),
        )

    def predict(self, scene: jc.Scene, data: ImpactData) -> jax.Array:
        """Quantities after each impact, (n, quantities)."""
        after = jax.vmap(lambda *one: outcome(scene, *one))(data.speed, data.angle, data.spin)
        return jnp.stack([after[name] for name in self.quantities], axis=-1)

    def expected_and_status(
        self, scene: jc.Scene, shared: tuple[Any, ...], local: jax.Array, data: ImpactData
    ) -> tuple[tuple[jax.Array, ...], jax.Array]:
        """What would be measured after the impacts of one table, without noise, and ``status``."""
        return (self.predict(scene, data),), self.status(scene, shared, local, data)

    def status(
        self, scene: jc.Scene, shared: tuple[Any, ...], local: jax.Array, data: ImpactData
    ) -> jax.Array:
        """Success: single impacts have closed forms, nothing is simulated."""
        return jnp.asarray(jc.Status.SUCCESS)

    def residual_and_status(
        self, scene: jc.Scene, shared: tuple[Any, ...], local: jax.Array, data: ImpactData
    ) -> tuple[jax.Array, jax.Array]:
        """Weighted residuals of one table, and ``status``."""
        residual = weighted(self.predict(scene, data), data.samples[0])
        return residual, self.status(scene, shared, local, data)


def sigma_of(table: ImpactTable, name: str, column: np.ndarray) -> np.ndarray:
    """Standard deviations of a quantity: given, or a fraction of its largest value."""
    if name in table.sigma:
        return np.broadcast_to(np.asarray(table.sigma[name], dtype=float), column.shape)
    return np.full(column.shape, RELATIVE_NOISE * np.nanmax(np.abs(column)))
