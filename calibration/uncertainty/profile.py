"""Profiles of the likelihood: how much worse the data are explained when a parameter is held and
everything else adapts.

A covariance sees the curvature at the minimum. A profile sees what the data say of values farther
away: that an interval is lopsided, or has only one end because beyond it every value will do.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import jax
import numpy as np

from calibration.errors import InputError
from calibration.fitting.assessment import Assessment, assess
from calibration.fitting.estimates import estimate_shared
from calibration.fitting.fit import report
from calibration.fitting.refit import error_scale_factor, identity, position_of, refit, threshold
from calibration.model.parameter import Parameter
from calibration.optimise.coordinates import Minimum, Start
from calibration.results.intervals import check_level
from calibration.results.numbers import capitalise, describe_interval
from calibration.results.result import Fit
from calibration.results.simulated_trial import check_simulated
from calibration.runtime.checkpoint import Checkpoint, Journal, open_journal
from calibration.runtime.progress import Progress, ensure_progress
from jaxcontact.parameters import nearest

BETTER = 0.01
"""A fall of (inflated) chi-squared by this means that the fit had stopped short of the minimum."""

CLOSE = 1e-3
"""An end of an interval is interpolated to this part of the threshold's root."""

POINTS = 60
"""At most so many points on one side."""

REACH_LOG = math.log(1e4)
"""How far a logarithmic coordinate is followed while the profile stays flat: a factor of 10000."""

REACH_LOGISTIC = 13.0
"""Size of a logistic coordinate at which the value is an end of its interval for all purposes."""

STRIDES = 1000.0
"""How far a coordinate without transform is followed, in first steps."""

PROBES = (1.4, 4.0)
"""Distances in a logarithmic or logistic coordinate (factors of 4 and 55) at which values beyond an
end are tried: another regime of contact, sticking instead of sliding, may explain the data
again.
"""

RESTARTS = 3
"""So often a better minimum found on the way is taken."""


@dataclasses.dataclass(frozen=True)
class Profile:
    """The profile of one parameter.

    Attributes:
        name, label, symbol, unit: of the parameter, as in ``Estimate``.
        value: the best one.
        level: of the interval.
        low, high: its ends; infinite on a side where the profile does not cross the threshold.
        threshold: of ``delta_chi2``.
        values: (n,) in increasing order.
        delta_chi2: (n,) rise of chi-squared over the square of the factor by which the fit
            enlarges standard errors.
        others: values of the other shared parameters along the profile, by name, (n,) each.
        converged: (n,) whether the optimiser met its tolerance.
        text: the interval in words.

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
        >>> restitution = cal.profile(cal.fit(problem))["contact.normal.restitution"]
        >>> print(f"{restitution.low:.3f} to {restitution.high:.3f}")
        0.790 to 0.810
    """

    name: str
    label: str
    symbol: str
    unit: str
    value: float
    level: float
    low: float
    high: float
    threshold: float
    values: Annotated[np.ndarray, "values"]
    delta_chi2: Annotated[np.ndarray, "values"]
    others: dict[str, np.ndarray]
    converged: Annotated[np.ndarray, "values"]
    text: str


@dataclasses.dataclass(frozen=True)
class Profiles(Mapping[str, Profile]):
    """Profiles by name of the parameter.

    Attributes:
        profiles: of each parameter.
        fit: that they belong to: the one that was given, or a better one found on the way.
        warnings: plain sentences.

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
        >>> profiles = cal.profile(cal.fit(problem))
        >>> list(profiles)
        ['contact.normal.restitution']
        >>> print(profiles)
        Restitution: 0.7902 to 0.8098 (95 %).
    """

    profiles: dict[str, Profile]
    fit: Fit
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Profile:
        return self.profiles[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.profiles)

    def __len__(self) -> int:
        return len(self.profiles)

    def __str__(self) -> str:
        return "\n".join([*(profile.text for profile in self.profiles.values()), *self.warnings])


@dataclasses.dataclass(frozen=True)
class Profile2D:
    """The profile of two parameters on a grid.

    Attributes:
        names, labels, units: of the pair.
        best: the best values.
        level: of the region, for both parameters jointly; it is where ``delta_chi2 <= threshold``.
        threshold: of ``delta_chi2``.
        values: grid of each, (n,) and (m,).
        delta_chi2: (n, m) rise of chi-squared, divided likewise.
        converged: (n, m).
        warnings: plain sentences.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 4.0, 8.0]),
        ...     normal_restitution=np.array([0.81, 0.70, 0.64, 0.57]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> law = jc.PowerLawRestitution(restitution=0.7, velocity_exponent=0.1)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> names = ("contact.normal.restitution", "contact.normal.velocity_exponent")
        >>> fit = cal.fit(cal.Problem(scene, [table], free=names))
        >>> region = cal.profile_2d(fit, names, points=5)
        >>> for name, best in zip(region.names, region.best):
        ...     print(f"{name} = {best:.3f}")
        contact.normal.restitution = 0.802
        contact.normal.velocity_exponent = 0.167
    """

    names: tuple[str, str]
    labels: tuple[str, str]
    units: tuple[str, str]
    best: tuple[float, float]
    level: float
    threshold: float
    values: tuple[np.ndarray, np.ndarray]
    delta_chi2: Annotated[np.ndarray, "first second"]
    converged: Annotated[np.ndarray, "first second"]
    warnings: tuple[str, ...] = ()


def profile(
    fit: Fit,
    names: Sequence[str] | None = None,
    *,
    level: float = 0.95,
    points: int = 6,
    progress: Progress | None = None,
    checkpoint: Checkpoint | str | None = None,
) -> Profiles:
    """Profile likelihoods of parameters, and the intervals they give.

    ``rise(p) = (min over the rest of chi2 - chi2_min) / w^2``, ``w`` the factor by which the fit
    enlarges standard errors for misfit and correlation. The interval is where ``rise`` is below its
    threshold: the quantile of chi-squared for known noise, of Student's t squared for estimated
    noise. The root of the rise is nearly linear in the parameter and is what is interpolated. The
    coordinate of a parameter is followed from the minimum outwards until the threshold is crossed;
    where it is not (up to a factor of 10000, or to the end of the parameter's range), that side has
    no end.

    Args:
        fit: a result of ``calibration.fit``.
        names: of shared parameters; by default all that were free.
        level: probability with which an interval is to contain the true value, in (0, 1).
        points: on each side until the threshold, about.
        progress: told of each point.
        checkpoint: folder for finished points, from which a killed computation goes on.

    Raises:
        InputError: a name that is not one of the free shared parameters; a level or number of
            points out of range; another's checkpoint.

    References:
        Venzon and Moolgavkar, Applied Statistics 37 (1988) 87; Bates and Watts, Nonlinear
        Regression Analysis (1988), section 6.1.

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
        >>> print(cal.profile(fit))
        Restitution: 0.7902 to 0.8098 (95 %).
    """
    assessment = assessment_of(fit, caller="profile")
    check_level(level)
    if not (isinstance(points, int) and points >= 2):
        raise InputError(f"profile: points = {points!r}", remedy="Give a whole number from 2 on.")
    asked = tuple(
        free_names(assessment) if names is None else [names] if isinstance(names, str) else names
    )
    for name in asked:
        check_free(assessment, name)
    say, warnings = ensure_progress(progress), list[str]()
    options = {"names": asked, "level": level, "points": points}
    with (
        jax.enable_x64(True),
        open_journal(
            checkpoint, work="profile", inputs=identity(assessment), options=options
        ) as kept,
    ):
        found: dict[str, Profile] = {}
        for restart in range(RESTARTS + 1):
            walk = Walk(
                assessment,
                kept,
                prefix=f"{restart}:",
                level=level,
                points=points,
                say=say,
                stop=restart < RESTARTS,
            )
            try:
                found = {name: walk.profile(name) for name in asked}
                break
            except BetterMinimum as better:
                warnings.append(better.sentence(assessment))
                assessment = better.assess(assessment)
        if assessment is not fit.assessment:
            fit = report(
                fit.problem,
                assessment,
                estimate_shared(assessment),
                method=fit.method,
                seconds=fit.seconds,
            )
    warnings += [sentence for one in found.values() for sentence in warn_of_gaps(one)]
    return Profiles(found, fit, tuple(warnings))


def profile_2d(
    fit: Fit,
    names: tuple[str, str],
    *,
    level: float = 0.95,
    points: int = 21,
    progress: Progress | None = None,
    checkpoint: Checkpoint | str | None = None,
) -> Profile2D:
    """The profile likelihood of two parameters on a grid about their joint confidence region.

    Arguments, threshold and inflation as in ``profile``; the threshold is that of two parameters at
    once. The grid covers the region (its extent along each parameter is where the one-dimensional
    profile crosses the threshold of two), equally spaced in the coordinates of the fit (logarithms,
    for most material constants).

    Args:
        fit: a result of ``calibration.fit``.
        names: of two shared parameters.
        level: of the joint region, in (0, 1).
        points: of the grid along each parameter.
        progress: told of each point.
        checkpoint: folder for finished points.

    Raises:
        InputError: as ``profile``; names that are not two different ones.

    Example:
        >>> table = cal.ImpactTable(
        ...     name="drops",
        ...     impact_angle=np.zeros(4),
        ...     impact_speed=np.array([1.0, 2.0, 4.0, 8.0]),
        ...     normal_restitution=np.array([0.81, 0.70, 0.64, 0.57]),
        ...     sigma={"normal_restitution": np.full(4, 0.01)},
        ... )
        >>> law = jc.PowerLawRestitution(restitution=0.7, velocity_exponent=0.1)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> names = ("contact.normal.restitution", "contact.normal.velocity_exponent")
        >>> fit = cal.fit(cal.Problem(scene, [table], free=names))
        >>> region = cal.profile_2d(fit, names, points=5)
        >>> inside = region.delta_chi2 <= region.threshold
        >>> print(inside.astype(int))
        [[0 0 0 0 0]
         [0 1 1 0 0]
         [0 0 1 1 0]
         [0 0 0 1 0]
         [0 0 0 0 0]]
    """
    assessment = assessment_of(fit, caller="profile_2d")
    check_level(level)
    if len(names) != 2 or names[0] == names[1]:
        raise InputError(f"profile_2d: names = {names!r}", remedy="Give two different names.")
    if not (isinstance(points, int) and points >= 3):
        raise InputError(
            f"profile_2d: points = {points!r}", remedy="Give a whole number from 3 on."
        )
    for name in names:
        check_free(assessment, name)
    say, options = (
        ensure_progress(progress),
        {"names": tuple(names), "level": level, "points": points},
    )
    with (
        jax.enable_x64(True),
        open_journal(
            checkpoint, work="profile_2d", inputs=identity(assessment), options=options
        ) as kept,
    ):
        indices = [assessment.layout.names.index(name) for name in names]
        wide, limit = (
            error_scale_factor(assessment, *indices),
            threshold(assessment, level, *indices),
        )
        walk = Walk(assessment, kept, prefix="", level=level, points=3, say=say, stop=False)
        axes = [walk.span_grid(index, limit, wide, points) for index in indices]
        delta_chi2, converged = walk.walk_grid(indices, axes, wide)
        parameters = [assessment.layout.global_parameters[index] for index in indices]
        values = [np.asarray(item.value(axis)) for item, axis in zip(parameters, axes, strict=True)]
        best = [
            float(item.value(assessment.minimum.shared[index]))
            for item, index in zip(parameters, indices, strict=True)
        ]
    warnings = []
    if np.min(delta_chi2) < -BETTER:
        warnings.append(
            "A better minimum than that of the fit lies on this grid; profile() of these "
            "parameters takes it."
        )
    if not np.all(converged):
        warnings.append(
            f"{int(np.sum(~converged))} of {delta_chi2.size} points did not converge, or a "
            "simulation of theirs did not succeed."
        )
    return Profile2D(
        names=(names[0], names[1]),
        labels=(parameters[0].about.label, parameters[1].about.label),
        units=(parameters[0].about.unit, parameters[1].about.unit),
        best=(best[0], best[1]),
        level=level,
        threshold=limit,
        values=(values[0], values[1]),
        delta_chi2=np.maximum(delta_chi2, 0.0),
        converged=converged,
        warnings=tuple(warnings),
    )


def assessment_of(fit: Fit, *, caller: str) -> Assessment:
    """What stands behind a fit.

    Args:
        fit: to go on from.
        caller: what an error names first.

    Raises:
        InputError: a fit that carries no problem, such as one read from a file, or of which a
            simulation did not succeed.
    """
    if fit.assessment is None or fit.problem is None:
        raise InputError(
            "This fit does not carry its problem.",
            remedy="Give a result of calibration.fit(problem).",
        )
    check_simulated(fit.simulations, caller=caller)
    assessment: Assessment = fit.assessment
    return assessment


def free_names(assessment: Assessment) -> list[str]:
    """Names of the shared parameters that were free."""
    return [assessment.layout.names[index] for index in np.flatnonzero(assessment.free)]


def check_free(assessment: Assessment, name: str) -> None:
    """Raise unless ``name`` is one of the free shared parameters."""
    known = free_names(assessment)
    if name in known:
        return
    own = {
        parameter.name
        for batch in assessment.layout.batches
        for parameter in batch.trial_parameters
    }
    if name in assessment.layout.names:
        raise InputError(f"{name!r} was frozen in the fit", remedy="Fit again with it free.")
    if name in own:
        raise InputError(
            f"{name!r} belongs to each trial; it has no single value",
            remedy=f"Free here: {', '.join(known)}.",
        )
    raise InputError(
        f"{name!r} is not free.{nearest(name, known)}",
        remedy=f"Free here: {', '.join(known) or 'nothing'}.",
    )


@dataclasses.dataclass(frozen=True)
class Point:
    """A constrained minimum: held coordinate, chi-squared, and where the rest went."""

    coordinate: float
    chi2: float
    minimum: Minimum

    @property
    def converged(self) -> bool:
        """Whether the optimiser met its tolerance."""
        return bool(self.minimum.converged)


class BetterMinimum(Exception):
    """A constrained minimum below that of the fit."""

    def __init__(self, point: Point) -> None:
        super().__init__()
        self.point = point

    def assess(self, assessment: Assessment) -> Assessment:
        """The minimum from there with everything free."""
        began = assessment.start.from_minimum(assessment.minimum)
        found, _ = refit(
            assessment,
            began._replace(shared=self.point.minimum.shared, local=self.point.minimum.local),
        )
        return assess(
            assessment.layout,
            assessment.scene,
            assessment.data,
            assessment.start,
            found,
            assessment.errors,
        )

    def sentence(self, assessment: Assessment) -> str:
        """What a person is told."""
        return (
            "A better minimum than that of the fit was found on the way (chi2 at most "
            f"{self.point.chi2:.6g} instead of"
            f" {assessment.chi2:.6g}) and taken; use the fit of this profile instead."
        )


class Walk:
    """Walks from a minimum along its coordinates.

    Args:
        assessment: the minimum.
        kept: journal of points.
        prefix: of the names of its pieces.
        level: of intervals.
        points: until the threshold.
        say: told of each point.
        stop: whether to raise ``BetterMinimum``.
    """

    def __init__(
        self,
        assessment: Assessment,
        kept: Journal,
        *,
        prefix: str,
        level: float,
        points: int,
        say: Progress,
        stop: bool,
    ) -> None:
        self.assessment, self.kept, self.prefix = assessment, kept, prefix
        self.level, self.points, self.say, self.stop = level, points, say, stop
        self.origin = assessment.start.from_minimum(assessment.minimum)
        self.count = 0

    def minimise_held(self, held: dict[int, float], near: Minimum | Start) -> Point:
        """The minimum with some shared coordinates held, from the rest of ``near``."""
        shared, frozen = np.array(near.shared, dtype=float), np.array(self.origin.frozen)
        for index, coordinate in held.items():
            shared[index], frozen[index] = coordinate, True
        start = self.origin._replace(shared=shared, local=near.local, frozen=frozen)

        like: tuple[Minimum, float] = (Minimum(0, self.origin.local, 0, 0), 0)
        minimum, chi2 = self.kept.remember(
            f"{self.prefix}{self.count}", lambda: refit(self.assessment, start), like=like
        )
        self.count += 1
        return Point(next(iter(held.values())), float(chi2), minimum)

    def minimise_from_guesses(
        self, held: dict[int, float], guesses: Sequence[Minimum | Start]
    ) -> Point:
        """The first constrained minimum that converges from one of ``guesses``, or the lowest."""
        tried: list[Point] = []
        for near in guesses:
            tried.append(self.minimise_held(held, near))
            if tried[-1].converged and np.isfinite(tried[-1].chi2):
                break
        return min(
            tried,
            key=lambda point: (
                not point.converged,
                point.chi2 if np.isfinite(point.chi2) else np.inf,
            ),
        )

    def profile(self, name: str) -> Profile:
        """The profile of one parameter."""
        index = self.assessment.layout.names.index(name)
        parameter = self.assessment.layout.global_parameters[index]
        wide, limit = (
            error_scale_factor(self.assessment, index),
            threshold(self.assessment, self.level, index),
        )
        self.say(f"Profiling {parameter.about.label} ({name})", total=2 * (self.points + 2))
        sides = [self.walk_side(index, direction, limit, wide) for direction in (-1, 1)]
        centre = self.point_at_minimum(index)
        curve = sorted([*sides[0], centre, *sides[1]], key=lambda point: point.coordinate)
        # Against the standard error in the reader's units, the ends are found in coordinates: there
        # the root is most nearly straight.
        ends = [interpolate_crossing(centre, side, limit, wide) for side in sides]
        low, high = (
            float(parameter.value(end)) if np.isfinite(end) else math.copysign(np.inf, sign)
            for end, sign in zip(ends, (-1, 1), strict=True)
        )
        shared = np.stack([point.minimum.shared for point in curve])
        others = {
            other.name: np.asarray(other.value(shared[:, i]))
            for i, other in enumerate(self.assessment.layout.global_parameters)
            if i != index and self.assessment.free[i]
        }
        values = np.asarray(parameter.value(np.asarray([point.coordinate for point in curve])))
        return Profile(
            name=name,
            label=parameter.about.label,
            symbol=parameter.about.symbol,
            unit=parameter.about.unit,
            value=float(parameter.value(centre.coordinate)),
            level=self.level,
            low=low,
            high=high,
            threshold=limit,
            values=values,
            delta_chi2=np.asarray([max(self.delta_chi2(point, wide), 0.0) for point in curve]),
            others=others,
            converged=np.asarray([point.converged for point in curve]),
            text=describe_profile(
                parameter, self.level, low, high, float(values[0]), float(values[-1])
            ),
        )

    def point_at_minimum(self, index: int) -> Point:
        """The minimum itself."""
        minimum = self.assessment.minimum
        return Point(float(minimum.shared[index]), self.assessment.chi2, minimum)

    def delta_chi2(self, point: Point, wide: float) -> float:
        """Of chi-squared, over the square of the inflation."""
        return (point.chi2 - self.assessment.chi2) / wide**2

    def root_of_rise(self, point: Point, wide: float) -> float:
        """Of the rise; infinite for a point that is no number."""
        delta_chi2 = self.delta_chi2(point, wide)
        return float(np.sqrt(max(delta_chi2, 0.0))) if np.isfinite(delta_chi2) else np.inf

    def walk_side(self, index: int, direction: int, limit: float, wide: float) -> list[Point]:
        """Points from the minimum outwards, until the threshold is crossed or there is nowhere to
        go, nearest first.
        """
        aim = float(np.sqrt(limit))
        step, reach = self.first_step(index, aim), self.longest_distance(index, aim)
        path = [self.point_at_minimum(index)]
        while len(path) <= POINTS:
            left = self.room_left(index, direction, path[-1].coordinate, reach)
            if left <= 1e-9 * reach:
                break
            ahead = path[-1].coordinate + direction * min(step, left)
            point = self.minimise_from_guesses({index: ahead}, self.guess_next(path, ahead))
            if self.stop and point.converged and self.delta_chi2(point, wide) < -BETTER:
                raise BetterMinimum(point)
            path.append(point)
            self.say.advance(len(path) - 1 + (self.points + 2 if direction > 0 else 0))
            reached = self.root_of_rise(point, wide)
            if reached >= aim:
                again = self.probe_beyond(index, direction, path, aim, wide, reach)
                if again is None:
                    break
                path.append(again)
                continue
            climbed = reached - self.root_of_rise(path[-2], wide)
            # Steps that raise the root by equal parts of the threshold; in a flat stretch they
            # grow.
            wanted = aim * 1.05 / self.points * step / climbed if climbed > 0 else np.inf
            step = float(np.clip(wanted, step / 4, 3 * step))
        path = self.retry_from_outside(index, path, wide)
        if self.root_of_rise(path[-1], wide) >= aim:
            path = self.refine_crossing(index, path, aim, wide)
        return path[1:]

    def probe_beyond(
        self, index: int, direction: int, path: list[Point], aim: float, wide: float, reach: float
    ) -> Point | None:
        """A point beyond the end of ``path`` that explains the data again, if one of those that are
        tried does.
        """
        if self.assessment.layout.global_parameters[index].about.transform == "identity":
            return None
        for distance in PROBES:
            ahead = path[0].coordinate + direction * distance
            passed = direction * (ahead - path[-1].coordinate) <= 0
            if passed or self.room_left(index, direction, ahead, reach) <= 0:
                continue
            point = self.minimise_from_guesses({index: ahead}, [path[0].minimum, path[-1].minimum])
            if self.stop and point.converged and self.delta_chi2(point, wide) < -BETTER:
                raise BetterMinimum(point)
            if point.converged and self.root_of_rise(point, wide) < aim:
                return point
        return None

    def first_step(self, index: int, aim: float) -> float:
        """A part of the distance at which a straight root would cross."""
        row, parameter = (
            position_of(self.assessment, index),
            self.assessment.layout.global_parameters[index],
        )
        deviation = (
            float(np.sqrt(self.assessment.covariance[row, row]))
            if not self.assessment.formal.open_shared[row]
            else np.inf
        )
        natural = (
            0.5
            if parameter.about.transform != "identity"
            else 0.1 * max(abs(float(self.assessment.minimum.shared[index])), 1e-3)
        )
        return float(
            min(
                aim * 1.05 / self.points * deviation,
                natural
                if np.isinf(deviation) or parameter.about.transform != "identity"
                else np.inf,
            )
        )

    def longest_distance(self, index: int, aim: float) -> float:
        """How far a coordinate is followed."""
        parameter = self.assessment.layout.global_parameters[index]
        if is_logistic(parameter):
            return max(REACH_LOGISTIC, abs(float(self.assessment.minimum.shared[index])) + 1.0)
        return (
            REACH_LOG
            if parameter.about.transform == "log"
            else STRIDES * self.first_step(index, aim)
        )

    def room_left(self, index: int, direction: int, coordinate: float, reach: float) -> float:
        """How much farther than ``coordinate`` is followed: up to ``reach`` from the minimum,
        between two finite ends from their middle.
        """
        if is_logistic(self.assessment.layout.global_parameters[index]):
            return reach - direction * coordinate
        return reach - abs(coordinate - float(self.assessment.minimum.shared[index]))

    def guess_next(self, path: list[Point], ahead: float) -> list[Minimum | Start]:
        """Where to start at the next point: the straight continuation of the last two, the last,
        the minimum.
        """
        last = path[-1].minimum
        found: list[Minimum | Start] = [last]
        if len(path) > 1 and path[-1].coordinate != path[-2].coordinate:
            part = min(
                (ahead - path[-1].coordinate) / (path[-1].coordinate - path[-2].coordinate), 3.0
            )
            continued = jax.tree.map(
                lambda a, b: a + part * (a - b),
                (last.shared, last.local),
                (path[-2].minimum.shared, path[-2].minimum.local),
            )
            found.insert(0, last._replace(shared=continued[0], local=continued[1]))
        if path[-1].minimum is not self.assessment.minimum:
            found.append(self.assessment.minimum)
        return found

    def retry_from_outside(self, index: int, path: list[Point], wide: float) -> list[Point]:
        """From outside inwards: points that did not converge, or lie above their outer neighbour,
        once more from there.
        """
        path = list(path)
        for i in range(len(path) - 2, 0, -1):
            outer = path[i + 1]
            if outer.converged and (
                not path[i].converged
                or self.delta_chi2(path[i], wide) > self.delta_chi2(outer, wide) + BETTER
            ):
                again = self.minimise_held({index: path[i].coordinate}, outer.minimum)
                if again.converged and (not path[i].converged or again.chi2 < path[i].chi2):
                    path[i] = again
        return path

    def refine_crossing(
        self, index: int, path: list[Point], aim: float, wide: float
    ) -> list[Point]:
        """Points between the last two, until the root at the interpolated crossing is the
        threshold's.
        """
        for _ in range(8):
            outside = 1 + max(
                i for i, point in enumerate(path) if self.root_of_rise(point, wide) < aim
            )
            inner, outer = path[outside - 1], path[outside]
            if (
                min(abs(self.root_of_rise(point, wide) - aim) for point in (inner, outer))
                < CLOSE * aim
            ):
                break
            part = 0.5
            if np.isfinite(outer.chi2):
                part = (aim - self.root_of_rise(inner, wide)) / (
                    self.root_of_rise(outer, wide) - self.root_of_rise(inner, wide)
                )
            between = inner.coordinate + float(np.clip(part, 0.05, 0.95)) * (
                outer.coordinate - inner.coordinate
            )
            path.insert(
                outside,
                self.minimise_from_guesses({index: between}, [inner.minimum, outer.minimum]),
            )
        return path

    def span_grid(self, index: int, limit: float, wide: float, points: int) -> np.ndarray:
        """Coordinates of a grid that covers where the profile is below ``limit``."""
        centre = self.point_at_minimum(index)
        sides = [self.walk_side(index, direction, limit, wide) for direction in (-1, 1)]
        ends = [interpolate_crossing(centre, side, limit, wide) for side in sides]
        low, high = (
            end if np.isfinite(end) else side[-1].coordinate
            for end, side in zip(ends, sides, strict=True)
        )
        return np.linspace(low - 0.1 * (high - low), high + 0.1 * (high - low), points)

    def walk_grid(
        self, indices: list[int], axes: list[np.ndarray], wide: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rise and convergence on a grid, filled from the point next to the minimum outwards, each
        from its nearest neighbour.
        """
        shape = (axes[0].size, axes[1].size)
        middle = [
            int(np.argmin(np.abs(axis - self.assessment.minimum.shared[index])))
            for axis, index in zip(axes, indices, strict=True)
        ]
        order = sorted(np.ndindex(shape), key=lambda place: (math.dist(place, middle), place))
        self.say(
            f"Profiling {' and '.join(self.assessment.layout.names[index] for index in indices)}",
            total=len(order),
        )
        found: dict[tuple[int, ...], Point] = {}
        for done, place in enumerate(order):
            held = {
                index: float(axis[i]) for index, axis, i in zip(indices, axes, place, strict=True)
            }
            around = [(place[0] + i, place[1] + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
            known = sorted(
                (found[near] for near in around if near in found), key=lambda point: point.chi2
            )
            found[place] = self.minimise_from_guesses(
                held, [*(point.minimum for point in known[:2]), self.assessment.minimum]
            )
            self.say.advance(done + 1)
        delta_chi2 = np.asarray(
            [[self.delta_chi2(found[i, j], wide) for j in range(shape[1])] for i in range(shape[0])]
        )
        return delta_chi2, np.asarray(
            [[found[i, j].converged for j in range(shape[1])] for i in range(shape[0])]
        )


def is_logistic(parameter: Parameter) -> bool:
    """Whether the coordinate runs from one finite end to the other."""
    interval = parameter.about.interval
    return parameter.about.transform == "logit" or (
        parameter.about.transform == "log" and interval.low > 0 and math.isfinite(interval.high)
    )


def interpolate_crossing(centre: Point, side: Sequence[Point], limit: float, wide: float) -> float:
    """The coordinate at which the root of the rise crosses that of ``limit`` for the last time, NaN
    where it ends below.
    """
    aim, path = math.sqrt(limit), [centre, *side]
    rises = [(point.chi2 - centre.chi2) / wide**2 for point in path]
    roots = [
        math.sqrt(max(delta_chi2, 0.0)) if np.isfinite(delta_chi2) else math.inf
        for delta_chi2 in rises
    ]
    last = max(i for i, root in enumerate(roots) if root < aim)
    if last == len(path) - 1:
        return math.nan
    inner, outer = path[last], path[last + 1]
    part = (
        (aim - roots[last]) / (roots[last + 1] - roots[last])
        if math.isfinite(roots[last + 1])
        else 0.0
    )
    return inner.coordinate + part * (outer.coordinate - inner.coordinate)


def describe_profile(
    parameter: Parameter, level: float, low: float, high: float, least: float, most: float
) -> str:
    """The interval as a sentence; ``least`` and ``most``: the outermost values that were tried."""
    about = parameter.about
    unit = "" if about.unit == "-" else f" {about.unit}"
    name, chance = capitalise(about.label), f"{100 * level:g} %"
    if np.isfinite(low) and np.isfinite(high):
        return describe_interval(about.label, about.unit, low, high, chance)
    if np.isfinite(low):
        return (
            f"{name}: not bounded above; any value above {low:.3g}{unit} explains the data "
            f"({chance}; "
            f"tried up to {most:.3g}{unit})."
        )
    if np.isfinite(high):
        return (
            f"{name}: not bounded below; any value below {high:.3g}{unit} explains the data "
            f"({chance}; "
            f"tried down to {least:.3g}{unit})."
        )
    return (
        f"{name}: not determined; every value from {least:.3g} to {most:.3g}{unit} explains "
        "the data "
        f"({chance})."
    )


def warn_of_gaps(found: Profile) -> list[str]:
    """What a person should be warned of."""
    sentences = []
    inside = found.delta_chi2 < found.threshold
    between = np.flatnonzero(inside)
    gap = np.arange(found.values.size)[between[0] : between[-1]][~inside[between[0] : between[-1]]]
    if gap.size:
        sentences.append(
            f"The interval of {found.label} has a gap: values from "
            f"{found.values[gap[0]]:.3g} to {found.values[gap[-1]]:.3g} do not explain"
            " the data, those on both sides of them do."
        )
    lost = int(np.sum(~found.converged))
    if lost:
        sentences.append(
            f"{lost} of {found.values.size} points of the profile of {found.label} did not "
            "converge, or a simulation of theirs did not succeed, even from their neighbours."
        )
    return sentences
