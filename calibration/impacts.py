"""Fit of an impact table: speed, angle and spin before and after, by rigid impacts with friction and tangential restitution."""

import dataclasses
import time
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting import check_method, minimum_of
from calibration.impact_table import ImpactTable
from calibration.judgement import Judgement
from calibration.problem import free_unknown
from calibration.result import Determination, Estimate, Fit, FittedColumn
from calibration.unknown import Unknown, coordinates, values
from jaxcontact.field import get, put
from jaxcontact.simulation.event_aligned import rigid_impact, rigid_touch_down
from jaxcontact.simulation.flight import Motion

RESTITUTION = "contact.normal.restitution"
FRICTION = "contact.friction.coefficient"
TANGENTIAL = "contact.friction.tangential_restitution"

QUANTITIES = {
    "rebound_angle": "rebound angle [deg]",
    "spin_after": "spin after [rad/s]",
    "tangential_restitution": "tangential restitution of the centre [-]",
    "normal_restitution": "normal restitution [-]",
    "rebound_speed": "rebound speed [m/s]",
}
"""Measured quantities and their labels."""

RELATIVE_NOISE = 0.02
"""Standard deviation assumed of a quantity whose noise is not given, relative to its largest value."""


class Impacts(NamedTuple):
    """Impacts of one table, with a leading axis of length 1 (one table); weight 1/sigma, or 0 where nothing was measured."""

    speed: Any
    angle: Any
    spin: Any
    measured: Any
    weight: Any


def outcome(scene: jc.Scene, speed: jax.Array, angle: jax.Array, spin: jax.Array) -> dict[str, jax.Array]:
    """All quantities after one impact on a horizontal plane; ``angle`` from the normal [deg], ``spin`` positive when rolling forward."""
    radians = jnp.deg2rad(angle)
    zero = jnp.zeros_like(speed)
    velocity = jnp.stack([speed * jnp.sin(radians), zero, -speed * jnp.cos(radians)])
    motion = Motion(zero, jnp.zeros(3), velocity, jnp.stack([zero, spin, zero]))
    touch = rigid_touch_down(motion, jnp.array([0.0, 0.0, 1.0]), 0.0)
    after = jax.tree.map(lambda column: column[-1], rigid_impact(scene, touch, jnp.asarray(0)).motion)
    before = velocity[0]
    head_on = before == 0
    return {
        "rebound_angle": jnp.rad2deg(jnp.arctan2(after.velocity[0], after.velocity[2])),
        "spin_after": after.spin[1],
        "tangential_restitution": jnp.where(head_on, 1.0, after.velocity[0] / jnp.where(head_on, 1.0, before)),
        "normal_restitution": -after.velocity[2] / velocity[2],
        "rebound_speed": jnp.sqrt(after.velocity[0] ** 2 + after.velocity[2] ** 2),
    }


@dataclasses.dataclass(frozen=True)
class ImpactLayout:
    """Structure of an impact fit: unknowns of the scene and measured quantities."""

    free: tuple[Unknown, ...]
    quantities: tuple[str, ...]

    @property
    def shared_unknowns(self) -> tuple[Unknown, ...]:
        """The unknowns."""
        return self.free

    @property
    def local_unknowns(self) -> tuple[Unknown, ...]:
        """None."""
        return ()

    def until(self, samples: Impacts, ends: jax.Array) -> Impacts:
        """All of them: a table has no time."""
        return samples

    def predicted(self, scene: jc.Scene, shared: jax.Array, impacts: Any) -> jax.Array:
        """Quantities after each impact, (impacts, quantities)."""
        for unknown, value in zip(self.free, values(self.free, shared), strict=True):
            scene = put(scene, unknown.name, value)
        after = jax.vmap(lambda *one: outcome(scene, *one))(impacts.speed, impacts.angle, impacts.spin)
        return jnp.stack([after[name] for name in self.quantities], axis=-1)

    def residual(self, scene: jc.Scene, shared: jax.Array, local: jax.Array, impacts: Impacts) -> jax.Array:
        """Weighted residuals."""
        return ((self.predicted(scene, shared, impacts) - impacts.measured) * impacts.weight).ravel()


class ImpactProblem:
    """A fit of an impact table.

    Args:
        scene: bodies and contact; ``NewtonRestitution`` and ``Coulomb``.
        table: impacts.
        free: paths of the unknowns.
        frozen: those of them that keep the value of the scene.
        only: the one measured quantity to use; all by default.
        above: impacts at smaller angles from the normal [deg] are left out.

    What is frozen or left out has a weight of zero, so that all fits of one table share compiled code.
    """

    def __init__(
        self,
        scene: jc.Scene,
        table: ImpactTable,
        *,
        free: tuple[str, ...],
        frozen: tuple[str, ...] = (),
        only: str | None = None,
        above: float = -1.0,
    ) -> None:
        used = tuple(name for name in QUANTITIES if name in table.measured)
        if not used:
            raise InputError("Nothing was measured after the impacts.", path=table.path, remedy=f"Give one of {', '.join(QUANTITIES)}.")
        self.scene, self.table, self.frozen, self.above = scene, table, frozen, above
        self.layout = ImpactLayout(tuple(free_unknown(scene, path) for path in free), used)
        columns = [np.asarray(getattr(table, name), dtype=float) for name in used]
        sigmas = [sigma_of(table, name, column) for name, column in zip(used, columns, strict=True)]
        measured, sigma = np.stack(columns, axis=-1), np.stack(sigmas, axis=-1)
        speed = np.where(np.isfinite(table.impact_speed), table.impact_speed, 1.0)
        spin = np.nan_to_num(np.asarray(table.spin_before, dtype=float))
        counted = np.isfinite(measured) & (np.asarray(table.impact_angle)[:, None] > above)
        counted &= np.asarray([only in (None, name) for name in used])
        weight = np.where(counted, 1 / sigma, 0.0)
        self.samples = Impacts(*(column[None] for column in (speed, table.impact_angle, spin, np.nan_to_num(measured), weight)))

    @property
    def stages(self) -> np.ndarray:
        """One stage."""
        return np.full((1, 1), np.inf)

    @property
    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """First guess."""
        shared = coordinates(self.layout.free, [get(self.scene, unknown.name) for unknown in self.layout.free])
        return shared, np.zeros((1, 0))


def sigma_of(table: ImpactTable, name: str, column: np.ndarray) -> np.ndarray:
    """Standard deviations of a quantity: given, or a fraction of its largest value."""
    if name in table.sigma:
        return np.broadcast_to(np.asarray(table.sigma[name], dtype=float), column.shape)
    return np.full(column.shape, RELATIVE_NOISE * np.nanmax(np.abs(column)))


def fit_impacts(
    scene: jc.Scene, table: ImpactTable, *, free: tuple[str, ...], method: str = "levenberg_marquardt", steps: int | None = None
) -> Fit:
    """Fit all measured quantities together, and each by itself to show how far they agree.

    Where rigid impacts do not explain all impacts, those that end sticking are set aside: what a contact gives back of the slip depends on
    its tangential compliance then, which a constant tangential restitution describes badly. Impacts that slide throughout
    tell friction whatever the compliance is.

    Args:
        scene: ``NewtonRestitution`` and ``Coulomb`` with starting values.
        table: impacts.
        free: paths of the unknowns.
        method: as in ``fit``.
        steps: as in ``fit``.
    """
    check_method(method)
    began = time.perf_counter()
    with jax.enable_x64(True):
        problem = ImpactProblem(scene, table, free=free)
        judgement = minimum_of(problem, method=method, steps=steps, start={}, progress=None)
        notes = []
        if FRICTION in free:
            limit = sliding_limit(scene, judgement.shared())
            if not judgement.explained and np.count_nonzero(np.asarray(table.impact_angle) > limit) > len(free):
                problem, judgement, limit = only_sliding(scene, table, free, limit, method=method, steps=steps)
                notes.append(
                    "Rigid impacts do not explain all impacts together. Those that end sticking were set aside (tangential compliance"
                    " matters there); friction is told by those that slide throughout."
                )
            notes.append(
                f"The sliding limit is {limit:.1f} degrees from the normal: steeper impacts end sticking, flatter ones slide throughout."
            )
        if not table.sigma:
            notes.append(f"No noise was given; each quantity was assumed to be known to {RELATIVE_NOISE:.0%} of its largest value.")
        estimates = judgement.shared()
        at_minimum = {name: item.value for name, item in estimates.items()}
        columns = tuple(fitted_column(problem, judgement, name, at_minimum) for name in problem.layout.quantities)
        names, correlation = judgement.correlation(estimates)
        return Fit(
            parameters=estimates,
            names=names,
            correlation=correlation,
            chi2=judgement.chi2,
            dof=judgement.dof,
            inflation=judgement.widening,
            converged=bool(judgement.minimum.converged),
            iterations=int(judgement.minimum.iterations),
            seconds=time.perf_counter() - began,
            method=method,
            model="rigid impacts (Walton): NewtonRestitution, Coulomb with tangential restitution",
            warnings=tuple(judgement.warnings(estimates) + notes),
            columns=columns,
        )


def sliding_limit(scene: jc.Scene, estimates: dict[str, Estimate]) -> float:
    """Impact angle from the normal [deg] at which friction just stops the slip: its tangent is ``mu (1 + e)(1 + 1/kappa)``."""

    def value(path: str) -> float:
        return estimates[path].value if path in estimates else float(get(scene, path))

    ratio = 1 + 1 / float(scene.bodies.inertia_ratio)
    return float(np.degrees(np.arctan(ratio * value(FRICTION) * (1 + value(RESTITUTION)))))


def only_sliding(
    scene: jc.Scene, table: ImpactTable, free: tuple[str, ...], limit: float, *, method: str, steps: int | None
) -> tuple[ImpactProblem, Judgement, float]:
    """The fit of impacts flatter than the sliding limit, and the limit that goes with it."""
    frozen = tuple(path for path in free if path == TANGENTIAL)
    for _ in range(2):
        problem = ImpactProblem(scene, table, free=free, frozen=frozen, above=limit)
        judgement = minimum_of(problem, method=method, steps=steps, start={}, progress=None)
        limit = sliding_limit(scene, judgement.shared())
    return problem, judgement, limit


def fitted_column(problem: ImpactProblem, judgement: Judgement, name: str, at_minimum: dict[str, float]) -> FittedColumn:
    """One quantity with its prediction, and what it says by itself of the friction coefficient."""
    k = problem.layout.quantities.index(name)
    samples = problem.samples
    used = np.isfinite(np.asarray(getattr(problem.table, name), dtype=float))
    counted = samples.weight[0, used, k] > 0
    predicted = np.asarray(problem.layout.predicted(problem.scene, judgement.minimum.shared, jax.tree.map(lambda a: a[0], samples)))[:, k]
    grid = np.linspace(0.5, min(89.0, float(samples.angle[0].max()) * 1.1), 120)
    speeds = np.interp(grid, np.sort(samples.angle[0]), samples.speed[0][np.argsort(samples.angle[0])])
    fine = Impacts(speeds, grid, np.zeros_like(grid), np.zeros((grid.size, 1)), np.zeros((grid.size, 1)))
    curve = np.asarray(problem.layout.predicted(problem.scene, judgement.minimum.shared, fine))[:, k]
    measured, sigma = (
        samples.measured[0, used, k],
        sigma_of(problem.table, name, np.asarray(getattr(problem.table, name), dtype=float))[used],
    )
    return FittedColumn(
        name=name,
        label=QUANTITIES[name],
        angle=samples.angle[0, used],
        measured=measured,
        predicted=predicted[used],
        sigma=sigma,
        curve_angle=grid,
        curve=curve,
        alone=alone(problem, name, at_minimum),
        counted=counted,
        chi2=float(np.sum(counted * ((predicted[used] - measured) / sigma) ** 2)),
    )


def alone(problem: ImpactProblem, name: str, at_minimum: dict[str, float]) -> dict[str, Estimate]:
    """What one quantity by itself says of friction and tangential restitution, the rest as in the joint fit."""
    told = [path for path in (FRICTION, TANGENTIAL) if path in at_minimum]
    scene = problem.scene
    for path, value in at_minimum.items():
        scene = put(scene, path, value)
    free = tuple(unknown.name for unknown in problem.layout.free)
    frozen = tuple(path for path in free if path not in told)
    own = ImpactProblem(scene, problem.table, free=free, frozen=frozen, only=name, above=problem.above)
    judgement = minimum_of(own, method="levenberg_marquardt", steps=None, start={}, progress=None)
    return {path: item for path, item in judgement.shared().items() if item.status is Determination.DETERMINED}
