"""Restitution of every impact of a fit as its data show it, beside the fitted law."""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.detection.bounces import DetectedBounces, pool_values
from calibration.fitting.assessment import Assessment
from calibration.fitting.shown.fitted_scene import fitted_scene, normal_speeds
from calibration.io.impact_table import ImpactTable
from calibration.measurements.bounce_times import BounceTimes
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from calibration.results.fitted_data import FittedSeries
from calibration.results.impacts import ImpactRestitutions, MeasuredImpact
from jaxcontact.laws import NormalLaw, PairContact

UP = 2
"""Axis of the normal speeds of recordings."""

POINTS = 80
"""Speeds at which the law is drawn."""

FLIGHTS = "from the flights before and after each impact, before anything was fitted"
INTERVALS = (
    "from the ratio of the intervals before and after each impact; what drag does to it is taken "
    "from the fit"
)
TABLE = "as measured"


def restitutions_of_impacts(
    problem: Problem, assessment: Assessment, series: tuple[FittedSeries, ...]
) -> ImpactRestitutions | None:
    """What the data say of single impacts: of recordings, times of impacts and tables; ``None``
    where they say nothing, or the contact is no law of restitution.

    Args:
        problem: what was fitted.
        assessment: its minimum.
        series: data and prediction of the measurements that are not of positions.
    """
    scene = assessment.scene
    if isinstance(scene.contact, PairContact) or not isinstance(scene.contact.normal, NormalLaw):
        return None
    heard = {one.name: one for one in series}
    found: list[MeasuredImpact] = []
    origins: dict[str, None] = {}
    for trial, detected in zip(problem.trials, problem.detections, strict=True):
        impacts: list[MeasuredImpact] = []
        if isinstance(trial, ImpactTable):
            impacts, origin = list(_of_table(trial)), TABLE
        elif isinstance(detected, DetectedBounces):
            impacts, origin = list(_of_flights(trial.name, detected)), FLIGHTS
        elif _is_heard(trial) and trial.name in heard:
            impacts, origin = list(_of_intervals(heard[trial.name], assessment)), INTERVALS
        if impacts:
            found += impacts
            origins[origin] = None
    if not found:
        return None
    speed = np.array([impact.speed for impact in found])
    grid = np.linspace(0.95 * speed.min(), 1.05 * speed.max(), POINTS)
    return ImpactRestitutions(
        impacts=tuple(found),
        trials=tuple(_pooled(found)),
        law_speed=grid,
        law=fitted_restitution(assessment, grid),
        origin="; ".join(origins),
    )


def fitted_restitution(assessment: Assessment, speed: np.ndarray) -> np.ndarray:
    """Restitution of the fitted law at normal speeds (n,) [m/s]."""
    with jax.enable_x64(True):
        return np.asarray(_restitution_at(fitted_scene(assessment), jnp.asarray(speed)))


@jax.jit
def _restitution_at(scene: jc.Scene, speed: jax.Array) -> jax.Array:
    mass = jnp.ravel(jnp.asarray(scene.bodies.mass))[0]
    return jax.vmap(lambda v: scene.contact.normal.restitution_at(v, mass=mass))(speed)


def _is_heard(trial: Trial) -> bool:
    return len(trial.measured) == 1 and isinstance(trial.measured[0], BounceTimes)


def _of_table(table: ImpactTable) -> Iterator[MeasuredImpact]:
    normal = normal_speeds(table)
    sigma = table.sigma.get("normal_restitution", np.full(len(table), np.nan))
    for row in np.flatnonzero(np.isfinite(table.normal_restitution) & np.isfinite(normal)):
        yield MeasuredImpact(
            table.source[row],
            int(table.line[row]),
            float(normal[row]),
            float(table.normal_restitution[row]),
            float(sigma[row]),
        )


def _of_flights(name: str, detected: DetectedBounces) -> Iterator[MeasuredImpact]:
    for number, bounce in enumerate(detected.bounces, start=1):
        speed = abs(float(bounce.velocity_before[UP]))
        if np.isfinite(speed) and np.isfinite(bounce.restitution):
            yield MeasuredImpact(
                name, number, speed, float(bounce.restitution), float(bounce.restitution_sd)
            )


def _of_intervals(series: FittedSeries, assessment: Assessment) -> Iterator[MeasuredImpact]:
    """An interval b after an impact over the interval a before it is the restitution, but for the
    drag: ``e = e_fitted (b/a)/(b/a)_fitted``, with the standard deviation of three times of
    standard deviation s, ``e s sqrt(1/a^2 + (1/a + 1/b)^2 + 1/b^2)``.
    """
    measured, predicted, sigma = (
        array[:, 0] for array in (series.measured, series.predicted, series.sigma)
    )
    gravity = float(np.linalg.norm(np.asarray(assessment.scene.gravity, dtype=float)))
    before, after = np.diff(measured)[:-1], np.diff(measured)[1:]
    fitted = np.diff(predicted)[1:] / np.diff(predicted)[:-1]
    # The flight before an impact ends about as fast as it began: half its time times gravity.
    speed = gravity * np.diff(predicted)[:-1] / 2
    restitution = fitted_restitution(assessment, speed) * (after / before) / fitted
    sd = (
        restitution
        * sigma[1:-1]
        * np.sqrt(1 / before**2 + (1 / before + 1 / after) ** 2 + 1 / after**2)
    )
    for i in np.flatnonzero(np.isfinite(restitution)):
        yield MeasuredImpact(
            series.name, int(i) + 2, float(speed[i]), float(restitution[i]), float(sd[i])
        )


def _pooled(impacts: list[MeasuredImpact]) -> Iterator[MeasuredImpact]:
    trials: dict[str, list[MeasuredImpact]] = {}
    for impact in impacts:
        if np.isfinite(impact.sd) and impact.sd > 0:
            trials.setdefault(impact.trial, []).append(impact)
    for name, own in trials.items():
        sd = [impact.sd for impact in own]
        restitution, its_sd = pool_values([impact.restitution for impact in own], sd)
        speed, _ = pool_values([impact.speed for impact in own], sd)
        yield MeasuredImpact(name, len(own), speed, restitution, its_sd)
