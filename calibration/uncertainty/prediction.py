"""What a fit predicts, with the band in which the truth, or the next measurement, is expected."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.fitting.follow import with_remedy
from calibration.model.samples import Samples
from calibration.problem.residuals import Layout
from calibration.problem.statuses import find_batch_statuses
from calibration.results.estimate import Determination
from calibration.results.intervals import check_level, student_reach, tails
from calibration.results.result import Fit
from calibration.uncertainty.bootstrap import Bootstrap
from calibration.uncertainty.draws import Draws
from calibration.uncertainty.posterior import Posterior
from calibration.uncertainty.profile import assessment_of
from jaxcontact.parameters import nearest
from jaxcontact.simulation.core.status import succeeded

SAME = 1e-6
"""Largest difference of a function of the scene, traced and not, relative to its size."""

LANES = 64
"""Draws that are predicted at a time."""


@dataclasses.dataclass(frozen=True)
class Band:
    """A prediction with two bands; arrays (n, k).

    Attributes:
        times: (n,) [s], or ``None`` where what is predicted has no times.
        mean: the prediction at the best values.
        sd: standard error of the prediction, infinite where it hangs on what the data do not
            determine.
        low, high: band of the truth.
        low_new, high_new: band of a new measurement, with its errors; ``None`` where their size is
            not known.
        level: probability of each band, at each single place.
        source: ``"covariance"``, ``"bootstrap"`` or ``"posterior"``.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 3.0, 4.0]),
        ...     normal_restitution=np.array([0.81, 0.79, 0.80, 0.80]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> problem = cal.Problem(scene, [table], free=["contact.normal.restitution"])
        >>> fit = cal.fit(problem)
        >>> band = cal.prediction_band(fit, lambda scene: scene.contact.normal.restitution)
        >>> print(f"{band.low:.3f} to {band.high:.3f}, from the {band.source}")
        0.790 to 0.810, from the covariance
    """

    times: Annotated[np.ndarray, "times"] | None
    mean: Annotated[np.ndarray, "*numbers"]
    sd: Annotated[np.ndarray, "*numbers"]
    low: Annotated[np.ndarray, "*numbers"]
    high: Annotated[np.ndarray, "*numbers"]
    low_new: Annotated[np.ndarray, "*numbers"] | None
    high_new: Annotated[np.ndarray, "*numbers"] | None
    level: float
    source: str


def prediction_band(
    fit: Fit,
    of: ArrayLike | Callable[[jc.Scene], ArrayLike] | None = None,
    *,
    trial: int | str = 0,
    observation: int = 0,
    level: float = 0.95,
    draws: Bootstrap | Posterior | None = None,
    noise: ArrayLike | None = None,
    seed: int = 0,
) -> Band:
    """Predict what a trial of the fit shows, or anything that follows from the fitted scene.

    From the covariance: ``sd^2 = g' C g``, ``g`` the derivatives of the prediction by all
    parameters of the fit, the trial's own among them, and Student's t where the noise was
    estimated (the delta method). From draws: their quantiles, which may be lopsided.

    Args:
        fit: a result of ``calibration.fit``.
        of: times (n,) [s] at which ``observation`` of ``trial`` is predicted; or ``None`` for the
            times that were measured; or, for a new trial, a function of the fitted
            ``jaxcontact.Scene`` that returns an array, e.g. ``lambda scene: jc.simulate(scene,
            state, times).position``.
        trial: position or name; without a meaning for a function.
        observation: which of the trial's measurements.
        level: of the bands, in (0, 1).
        draws: replicates or samples to take quantiles of, instead of the covariance.
        noise: standard deviation of a new measurement, in the unit of the prediction; by default
            that of the trial's samples (their median, of the size that the fit found). A function
            has none unless it is given here.
        seed: of the errors that are added to draws.

    Raises:
        InputError: a trial, observation or level that does not exist, times where the observation
            has none.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 3.0, 4.0]),
        ...     normal_restitution=np.array([0.81, 0.79, 0.80, 0.80]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> problem = cal.Problem(scene, [table], free=["contact.normal.restitution"])
        >>> fit = cal.fit(problem)
        >>> band = cal.prediction_band(fit, lambda scene: scene.contact.normal.restitution)
        >>> print(f"{band.mean:.3f} +- {band.sd:.3f}")
        0.800 +- 0.005
    """
    assessment = assessment_of(fit, caller="prediction_band")
    check_level(level)
    with jax.enable_x64(True):
        asked = (
            ScenePrediction(of)
            if callable(of)
            else select_trial(fit, assessment, of, trial, observation)
        )
        mean, by_shared, by_local = asked.linearise(assessment)
        sigma = (
            asked.noise(assessment)
            if noise is None
            else np.broadcast_to(np.asarray(noise, dtype=float), mean.shape)
        )
        if draws is None:
            return band_from_covariance(
                fit, assessment, asked, mean, by_shared, by_local, sigma, level
            )
        return band_from_draws(assessment, asked, mean, draws, sigma, level, seed)


@dataclasses.dataclass(frozen=True, eq=False)
class ScenePrediction:
    """A quantity that follows from the scene.

    Attributes:
        function: of the scene.
    """

    function: Callable[[jc.Scene], ArrayLike]
    times = None
    place = None

    def linearise(self, assessment: Assessment) -> tuple[np.ndarray, np.ndarray, None]:
        """The prediction, and its derivatives by the shared coordinates (..., S).

        Raises:
            InputError: a simulation in the function does not succeed, or only with a larger budget
                of contacts than it has where it is traced.
        """
        shared = jnp.asarray(assessment.minimum.shared)
        try:
            alone = np.asarray(self.function(assessment.layout.at(assessment.scene, shared)[0]))
        except jc.SimulationError as error:
            said = str(error).rstrip(".")
            raise InputError(f"prediction_band: the function was not simulated. {said}") from None
        value, slope = self.traced(assessment)
        size = np.max(np.abs(alone), initial=0.0)
        if not np.allclose(alone, value, rtol=0, atol=SAME * size, equal_nan=True):
            raise InputError(
                "prediction_band: the function gives other numbers where it is traced, as simulate "
                "cannot raise its budgets there",
                remedy="Give the method of its simulation max_contacts that suffice, e.g. "
                "Impulse(max_contacts=200).",
            )
        return value, slope, None

    def traced(self, assessment: Assessment) -> tuple[np.ndarray, np.ndarray]:
        """As ``linearise``, for functions that simulate nothing: a fit may have gone where the
        scene would refuse a number.
        """
        shared = jnp.asarray(assessment.minimum.shared)
        value, slope = _predict_scene(assessment.layout, self.function, assessment.scene, shared)
        return np.asarray(value), np.asarray(slope)

    def at(self, assessment: Assessment, draws: Draws) -> np.ndarray:
        """The prediction for each draw."""
        return np.asarray(
            _predict_scene_each(assessment.layout, self.function, assessment.scene, draws.shared)
        )

    def noise(self, assessment: Assessment) -> None:
        """Unknown."""
        return


@dataclasses.dataclass(frozen=True, eq=False)
class TrialPrediction:
    """One observation of one trial of the fit.

    Attributes:
        place: batch, trial of that batch, observation.
        data: of that trial, with the samples at which it is predicted.
        times: of them.
    """

    place: tuple[int, int, int]
    data: Any
    times: np.ndarray | None

    def linearise(self, assessment: Assessment) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The prediction (n, k), and its derivatives by the shared (n, k, S) and the trial's own
        coordinates (n, k, L).
        """
        batch, r, _ = self.place
        shared, local = (
            jnp.asarray(assessment.minimum.shared),
            jnp.asarray(assessment.minimum.local[batch][r]),
        )
        (value, (by_shared, by_local)), _ = self._follow(
            assessment, _predict_trial, shared, local, each=False
        )
        return np.asarray(value), np.asarray(by_shared), np.asarray(by_local)

    def at(self, assessment: Assessment, draws: Draws) -> np.ndarray:
        """The prediction for each draw."""
        batch, r, _ = self.place
        value, _ = self._follow(
            assessment, _predict_trial_each, draws.shared, draws.local[batch][:, r], each=True
        )
        return np.asarray(value)

    def _follow(
        self, assessment: Assessment, predict: Any, shared: Any, local: Any, *, each: bool
    ) -> tuple[Any, Any]:
        """What ``predict`` gives, with a budget of contacts that suffices up to the times that are
        asked for; ``each``: at many coordinates.

        Raises:
            InputError: a simulation did not succeed, and no budget helps.
        """
        layout, (batch, _, observation) = assessment.layout, self.place
        while True:
            found, codes = predict(
                layout, batch, observation, assessment.scene, shared, local, self.data
            )
            failed = np.flatnonzero(~succeeded(np.atleast_1d(codes)))
            points = [(shared[i], local[i]) for i in failed] if each else [(shared, local)]
            data = jax.tree.map(lambda column: np.asarray(column)[None], self.data)
            statuses = np.asarray(
                [
                    find_batch_statuses(
                        layout, batch, assessment.scene, where, jnp.asarray(own)[None], data
                    )
                    for where, own in (points if failed.size else [])
                ],
                dtype=int,
            )
            if np.all(succeeded(statuses)):
                return found, codes
            larger = with_remedy(layout, batch, statuses)
            if larger is None:
                worst = jc.Status(int(np.max(statuses)))
                raise InputError(
                    f"prediction_band: a simulation up to the times that were asked for did not "
                    f"succeed ({worst.name})",
                    remedy=worst.advice,
                )
            layout = larger

    def noise(self, assessment: Assessment) -> np.ndarray:
        """Median standard deviation of the samples of each column, of the size that the fit
        found.
        """
        batch, r, observation = self.place
        weight = np.asarray(assessment.data[batch].samples[observation].weight[r])
        size = assessment.variance_components.size[
            assessment.linearised.batches[batch][observation].component
        ]
        columns = [
            np.median(1 / weight[weight[:, k] > 0, k]) if np.any(weight[:, k] > 0) else np.nan
            for k in range(weight.shape[1])
        ]
        return np.asarray(columns) * size


def select_trial(
    fit: Fit, assessment: Assessment, times: ArrayLike | None, trial: int | str, observation: int
) -> TrialPrediction:
    """What is asked of a trial of the fit."""
    trials = fit.problem.trials
    names = [item.name for item in trials]
    if isinstance(trial, str) and trial not in names:
        raise InputError(f"prediction_band: there is no trial {trial!r}.{nearest(trial, names)}")
    index = names.index(trial) if isinstance(trial, str) else trial
    if not 0 <= index < len(trials):
        raise InputError(
            f"prediction_band: trial = {trial!r}", remedy=f"Give 0 to {len(trials) - 1}, or a name."
        )
    batch, r = next(
        (k, members.index(index))
        for k, members in enumerate(fit.problem.members)
        if index in members
    )
    data = jax.tree.map(lambda column: np.asarray(column)[r], assessment.data[batch])
    if not 0 <= observation < len(data.samples):
        raise InputError(
            f"prediction_band: observation = {observation!r}",
            remedy=f"Give 0 to {len(data.samples) - 1}.",
        )
    there = data.samples[observation]
    if not assessment.errors[batch][observation].series:
        if times is not None:
            raise InputError(
                "prediction_band: this observation has no times",
                remedy="Leave them out, or give a function of the scene.",
            )
        return TrialPrediction((batch, r, observation), data, None)
    if times is None:
        used = np.flatnonzero(np.any(there.weight > 0, axis=-1))
        moments = there.times[: used[-1] + 1 if used.size else 0]
    else:
        moments = np.atleast_1d(np.asarray(times, dtype=float))
        if (
            moments.ndim != 1
            or not moments.size
            or not np.all(np.isfinite(moments))
            or np.any(np.diff(moments) < 0)
        ):
            raise InputError("prediction_band: times are not finite and in increasing order")
    nothing = np.zeros((moments.size, there.measured.shape[1]))
    # Weights say up to where a simulation must be right; predictions do not depend on them.
    samples = tuple(
        Samples(moments, nothing, nothing + 1)
        if i == observation
        else own._replace(weight=np.zeros_like(own.weight))
        for i, own in enumerate(data.samples)
    )
    return TrialPrediction((batch, r, observation), data._replace(samples=samples), moments)


def band_from_covariance(
    fit: Fit,
    assessment: Assessment,
    asked: ScenePrediction | TrialPrediction,
    mean: np.ndarray,
    by_shared: np.ndarray,
    by_local: np.ndarray | None,
    sigma: np.ndarray | None,
    level: float,
) -> Band:
    """The delta method."""
    free = np.flatnonzero(assessment.free)
    g = by_shared[..., free]
    variance, lost = np.zeros(mean.shape), np.zeros(mean.shape, dtype=bool)
    if by_local is not None and asked.place is not None:
        batch, r, _ = asked.place
        own = by_local[..., assessment.start.free_local[batch]]
        part = assessment.equations.parts[batch]
        # A change of the shared coordinates moves the trial's own ones along, so only what is left
        # counts.
        g = g - own @ part.coupling[r]
        variance = (
            np.einsum("...l,lm,...m->...", own, part.inverse[r], own)
            * assessment.trial_error_scale_factor**2
        )
        lost = np.any((np.abs(own) > 0) & part.open[r], axis=-1)
    variance = variance + np.einsum("...s,st,...t->...", g, assessment.covariance, g)
    lost = lost | np.any(
        (np.abs(g) > 1e-12 * (1e-300 + np.max(np.abs(g), initial=0.0)))
        & mark_undetermined(fit, assessment),
        axis=-1,
    )
    sd = np.where(lost, np.inf, np.sqrt(np.maximum(variance, 0.0)))
    degrees = float(np.min(assessment.degrees)) if assessment.degrees.size else np.inf
    reach = student_reach(level, degrees)
    new = None if sigma is None else reach * np.hypot(sd, sigma)
    return Band(
        times=asked.times,
        mean=mean,
        sd=sd,
        low=mean - reach * sd,
        high=mean + reach * sd,
        low_new=None if new is None else mean - new,
        high_new=None if new is None else mean + new,
        level=level,
        source="covariance",
    )


def mark_undetermined(fit: Fit, assessment: Assessment) -> np.ndarray:
    """Which free shared coordinates the data leave open."""
    names = [assessment.layout.names[index] for index in np.flatnonzero(assessment.free)]
    status = [fit.parameters[name].status if name in fit.parameters else None for name in names]
    return assessment.formal.open_shared | np.asarray(
        [item is Determination.NOT_DETERMINED for item in status], dtype=bool
    )


def band_from_draws(
    assessment: Assessment,
    asked: ScenePrediction | TrialPrediction,
    mean: np.ndarray,
    source: Bootstrap | Posterior,
    sigma: np.ndarray | None,
    level: float,
    seed: int,
) -> Band:
    """Quantiles of the predictions of all draws, and of them with errors added."""
    draws = source.draws
    if len(draws) < 2:
        raise InputError(
            "prediction_band: there are no draws", remedy="Draw more, or leave draws out."
        )
    chunks = [
        draws.pick(np.arange(i, min(i + LANES, len(draws)))) for i in range(0, len(draws), LANES)
    ]
    last = chunks[-1]
    full = last.pick(np.minimum(np.arange(LANES), len(last) - 1)) if len(chunks) > 1 else last
    parts = [asked.at(assessment, chunk) for chunk in chunks[:-1]] + [
        asked.at(assessment, full)[: len(last)]
    ]
    values = np.concatenate(parts)
    low, high = np.quantile(values, tails(level), axis=0)
    low_new = high_new = None
    if sigma is not None:
        errors = np.random.default_rng(seed).standard_normal(values.shape) * sigma
        low_new, high_new = np.quantile(values + errors, tails(level), axis=0)
    batch = "bootstrap" if isinstance(source, Bootstrap) else "posterior"
    return Band(
        asked.times,
        mean,
        np.std(values, axis=0, ddof=1),
        low,
        high,
        low_new,
        high_new,
        level,
        batch,
    )


@partial(jax.jit, static_argnames=("layout", "function"))
def _predict_scene(layout: Layout, function: Any, scene: Any, shared: jax.Array) -> tuple[Any, Any]:
    def predict(shared: jax.Array) -> jax.Array:
        return jnp.asarray(function(layout.at(scene, shared)[0]))

    return predict(shared), jax.jacfwd(predict)(shared)


@partial(jax.jit, static_argnames=("layout", "function"))
def _predict_scene_each(layout: Layout, function: Any, scene: Any, shared: jax.Array) -> Any:
    return jax.vmap(lambda own: jnp.asarray(function(layout.at(scene, own)[0])))(shared)


def _predict_observation(
    layout: Layout,
    batch: int,
    observation: int,
    scene: Any,
    shared: jax.Array,
    local: jax.Array,
    data: Any,
) -> tuple[jax.Array, jax.Array]:
    """One observation of one trial, (n, k), and how the simulation ended."""
    expected, status = layout.expected_and_status(batch, scene, shared, local, data)
    return expected[observation], status


@partial(jax.jit, static_argnames=("layout", "batch", "observation"))
def _predict_trial(
    layout: Layout, batch: int, observation: int, scene: Any, shared: Any, local: Any, data: Any
) -> tuple[Any, Any]:
    def predict(shared: jax.Array, local: jax.Array) -> tuple[jax.Array, jax.Array]:
        return _predict_observation(layout, batch, observation, scene, shared, local, data)

    value, status = predict(shared, local)
    slopes, _ = jax.jacfwd(predict, argnums=(0, 1), has_aux=True)(shared, local)
    return (value, slopes), status


@partial(jax.jit, static_argnames=("layout", "batch", "observation"))
def _predict_trial_each(
    layout: Layout, batch: int, observation: int, scene: Any, shared: Any, local: Any, data: Any
) -> Any:
    return jax.vmap(
        lambda s, own: _predict_observation(layout, batch, observation, scene, s, own, data)
    )(shared, local)
