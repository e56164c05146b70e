"""What the data determine and what they leave open, before a fit and after: eigen-analysis of the
Fisher information, in words.

The information on the shared parameters is that which remains when each trial's own parameters are
eliminated, in *natural* coordinates: the logarithm of a positive quantity, the value itself of any
other. A direction there is a combination of powers, and its standard error a relative one.
"""

import dataclasses
import enum
import itertools
import math
from collections.abc import Iterator
from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.fitting.policy import DEFAULT_POLICY, FitPolicy
from calibration.fitting.probes import excluding_rise, sum_squares
from calibration.optimise.least_squares import minimise_with_blocks
from calibration.optimise.normal_equations import UNRESOLVED, SharedInformation, eliminate
from calibration.problem.problem import Problem
from calibration.results.numbers import percent, plain, value_and_sd
from calibration.results.result import Fit
from calibration.uncertainty.combinations import acting_through
from calibration.uncertainty.linearisation import WorkingPoint, working_point
from calibration.uncertainty.synthetic import expected_data

NEGLIGIBLE = 0.05
"""Part of the largest component of a direction below which a parameter is not named."""

SPREAD = 0.3
"""Standard deviation of the coordinates of the random points at which a loss of rank is
verified.
"""


REGIMES = (-3, -2, -1, 1, 2, 3)
"""Steps of one coordinate, in units of ``FitPolicy.probe_step`` (factors of about 4, 16 and 64), at
which it is looked for another regime.
"""


class Identification(enum.StrEnum):
    """What data of this kind say of a parameter."""

    DETERMINED = "determined"
    PRIOR_ONLY = "known from its prior only"
    PRACTICALLY = "practically undetermined"
    HERE = "not seen at these values"
    AT_BOUND = "at a bound"
    STRUCTURALLY = "structurally undetermined"


@dataclasses.dataclass(frozen=True)
class IdentifiedParameter:
    """One shared unknown.

    Attributes:
        name, label, symbol, unit: as in ``Estimate``.
        value: at which it was looked at.
        sd: standard error that the data allow; infinite unless determined.
        status: what the data say.
        note: one sentence more, or empty.
    """

    name: str
    label: str
    symbol: str
    unit: str
    value: float
    sd: float
    status: Identification
    note: str = ""


@dataclasses.dataclass(frozen=True)
class SloppyDirection:
    """A combination of parameters that the data do not determine.

    Attributes:
        names: parameters in it; ``components``: of their natural coordinates, the largest 1 in
            size.
        sd: standard error along it, infinite where nothing is seen.
        structural: whether no data of this kind would show it, whatever their noise.
        words: one or two sentences.
    """

    names: tuple[str, ...]
    components: np.ndarray
    sd: float
    structural: bool
    words: str


@dataclasses.dataclass(frozen=True)
class Identifiability:
    """What data determine. ``str()`` is the text for a person.

    Attributes:
        parameters: by name.
        directions: combinations that are not determined.
        names: of the free shared parameters, (S,); order of the arrays.
        eigenvalues: of the information in natural coordinates, ascending, (S,); ``eigenvectors`` in
            columns, (S, S).
        collinearity: index of all parameters that act on the data together, 1 for orthogonal ones,
            infinite where some combination is not seen; ``collinear_pairs``: (name, name, index) of
            the pairs above 15.
        own: sentences about each trial's own parameters that are not determined.
        fitted: whether it was looked at the minimum of a fit, or at starting values.
        policy: by what it was judged.

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
        >>> identifiability = cal.identify(problem)
        >>> identifiability.determined
        ('contact.normal.restitution',)
        >>> print(identifiability)
        What the data determine, at the starting values, before a fit:
          contact.normal.restitution  0.7000 +- 0.0050 (0.71 %), determined
    """

    parameters: dict[str, IdentifiedParameter]
    directions: tuple[SloppyDirection, ...]
    names: tuple[str, ...]
    eigenvalues: Annotated[np.ndarray, "names"]
    eigenvectors: Annotated[np.ndarray, "names names"]
    collinearity: float
    collinear_pairs: tuple[tuple[str, str, float], ...]
    own: tuple[str, ...]
    fitted: bool
    policy: FitPolicy = dataclasses.field(default=DEFAULT_POLICY, repr=False)

    @property
    def determined(self) -> tuple[str, ...]:
        """Names of what the data determine."""
        return tuple(
            name
            for name, item in self.parameters.items()
            if item.status is Identification.DETERMINED
        )

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def identify(
    given: Problem | Fit,
    *,
    noise: float = 1.0,
    probe: bool = True,
    points: int = 3,
    seed: int = 0,
    policy: FitPolicy = DEFAULT_POLICY,
) -> Identifiability:
    """Say what the data determine, before a fit (at the starting values) or after (at the minimum).

    Structurally undetermined is what acts on the data in no way, or only in a combination with
    others, whatever the noise: verified at random points about the values given, and far away.
    Practically undetermined is what the noise hides: a standard error above a factor of e, or one
    that the ends of the interval cut off. A local analysis does not see another regime (friction
    that slides, friction that sticks), so every parameter is also tried at about four times and a
    quarter of its value, all others adapting: where that explains the data (before a fit: those
    that are expected) as well, the parameter is not determined either.

    Args:
        given: a problem, or the result of ``fit``.
        noise: factor on all standard deviations: 0.1 asks what data ten times better would
            determine.
        probe: whether to try far values, too; takes two short fits for each parameter.
        points: number of random points at which a loss of rank is verified.
        seed: of these.
        policy: thresholds by which a problem is judged; a fit keeps its own.

    Returns:
        Status and standard error of each parameter, the undetermined combinations in words, and the
        collinearity index.

    Raises:
        InputError: nothing free, or ``noise`` not positive.

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
        >>> cal.identify(problem).determined
        ('contact.normal.restitution',)
    """
    if not (isinstance(noise, (int, float)) and 0 < noise < math.inf):
        raise InputError(
            f"identify: noise = {noise!r} is not a positive number.",
            remedy="It multiplies all standard deviations; 1 keeps them.",
        )
    with jax.enable_x64(True):
        point = working_point(given, argument="identify", policy=policy)
        if not point.parameters:
            raise InputError(
                "identify: no shared parameter is free.",
                remedy="Name what is to be found in Problem(free=[...]).",
            )
        return _Analysis(point, noise=float(noise), points=points, seed=seed).report(probe=probe)


class _Analysis:
    """The information at a working point and what follows from it."""

    def __init__(self, point: WorkingPoint, *, noise: float, points: int, seed: int) -> None:
        self.point, self.noise, self.policy = point, noise, point.policy
        self.names = tuple(parameter.name for parameter in point.parameters)
        self.slope, self.logarithmic = point.natural_slopes
        blocks = point.blocks()
        batches = len(point.layout.batches)
        by_data = SharedInformation.of(blocks[:batches]).scaled(
            1 / (noise * point.error_scale_factor)
        )
        by_prior = SharedInformation.of(blocks[batches:])
        self.data = by_data.scaled(1 / self.slope)
        self.all = (
            (by_data + by_prior).scaled(1 / self.slope) if len(blocks) > batches else self.data
        )
        self.null = null_space(self.data)
        self.null_everywhere = (
            self.null if self.null.shape[1] == 0 else self.confirm_null_space(points, seed)
        )

    def confirm_null_space(self, points: int, seed: int) -> np.ndarray:
        """Which part of the null space remains elsewhere: as many null directions as the least
        degenerate point has.

        At random points nearby, and where one parameter in it alone is far away: there may be
        another regime.
        """
        rng, start = np.random.default_rng(seed), self.point.start
        elsewhere = [move_randomly(self.point, rng) for _ in range(points)]
        for i in np.flatnonzero(np.any(np.abs(self.null) > NEGLIGIBLE, axis=1)):
            for step in REGIMES:
                shared = np.array(start.shared, dtype=float)
                shared[self.point.free[i]] += step * self.policy.probe_step
                elsewhere.append((shared, start.local))
        spaces = [self.null]
        for shared, local in elsewhere:
            here = SharedInformation.of(self.point.blocks(shared, local, priors=False)).scaled(
                1 / self.slope
            )
            if np.all(np.isfinite(here.matrix)):
                spaces.append(null_space(here))
        return min(spaces, key=lambda space: space.shape[1])

    def report(self, *, probe: bool) -> Identifiability:
        """All of it."""
        eigenvalues, vectors = np.linalg.eigh(self.all.matrix)
        directions = tuple(self.directions())
        parameters = {name: self.parameter(i, probe=probe) for i, name in enumerate(self.names)}
        index, pairs = self.collinearity()
        return Identifiability(
            parameters,
            directions,
            self.names,
            np.maximum(eigenvalues, 0.0),
            vectors,
            index,
            pairs,
            tuple(own_open(self.point)),
            self.point.fitted,
            self.policy,
        )

    # -- directions

    def directions(self) -> Iterator[SloppyDirection]:
        """Null directions, then those with a standard error above a factor of e."""
        null = null_space(self.all)
        structural = self.null_everywhere.shape[1] > 0
        for direction in simplify_basis(null).T:
            yield self.direction(
                direction, math.inf, structural and self.lies_in(self.null_everywhere, direction)
            )
        eigenvalues, vectors = np.linalg.eigh(self.all.matrix)
        for eigenvalue, vector in list(zip(eigenvalues, vectors.T, strict=True))[null.shape[1] :]:
            if 0 < eigenvalue < 1 / self.policy.largest_log_sd**2:
                yield self.direction(vector, 1 / math.sqrt(eigenvalue), False)

    @staticmethod
    def lies_in(space: np.ndarray, direction: np.ndarray) -> bool:
        """Whether a null space that was verified involves the parameters of a direction."""
        named = np.abs(direction) > NEGLIGIBLE * np.max(np.abs(direction))
        return bool(np.all(np.any(np.abs(space[named]) > 0, axis=1)))

    def direction(self, vector: np.ndarray, sd: float, structural: bool) -> SloppyDirection:
        """One of them, with its words."""
        vector = np.where(np.abs(vector) < NEGLIGIBLE * np.max(np.abs(vector)), 0.0, vector)
        picked = np.flatnonzero(vector)
        components = vector[picked] / vector[picked][np.argmax(np.abs(vector[picked]))]
        names = tuple(self.names[i] for i in picked)
        return SloppyDirection(
            names, components, sd, structural, self.words(picked, components, sd)
        )

    def words(self, picked: np.ndarray, components: np.ndarray, sd: float) -> str:
        """What a combination that is not determined means."""
        titles = [self.title(i) for i in picked]
        if len(picked) == 1:
            i = int(picked[0])
            if self.data.before[i] == 0:
                return f"{titles[0]} does not act on the data."
            if math.isinf(sd):
                return (
                    f"Whatever {titles[0]} does to the data, other parameters of the measurement "
                    "can do as well."
                )
            return (
                f"{titles[0]} acts too little on the data: its standard error is a factor of "
                f"{factor(sd)}."
            )
        known = list(
            acting_through(
                tuple(self.names[i] for i in picked), components, *self.scene_along(picked)
            )
        )
        listed = f"{', '.join(titles[:-1])} and {titles[-1]}"
        if known:
            first = f"{listed} act only through {' and '.join(known)}."
        elif len(picked) == 2:
            first = (
                f"Of {listed}, only the combination "
                f"{self.product(picked, (components[1], -components[0]))} "
                "is determined."
            )
        else:
            first = f"{listed} cannot be told apart."
        seen = (
            "nothing in the data changes"
            if math.isinf(sd)
            else "hardly anything in the data changes"
        )
        return f"{first} Along {self.product(picked, components, times=True)}, {seen}."

    def product(self, picked: np.ndarray, exponents: Any, *, times: bool = False) -> str:
        """``K^0.4 m^-0.4``; where a value is not positive, a sum of logarithms and values.
        ``times``: as factors of a change.
        """
        exponents = np.asarray(exponents, dtype=float)
        exponents = exponents / exponents[np.argmax(np.abs(exponents))]
        pairs = [
            (self.short(i), exponent, self.logarithmic[i])
            for i, exponent in zip(picked, exponents, strict=True)
        ]
        if times:
            return ", ".join(
                f"{name} {'times' if log else 'plus'} {power('a', e) if log else f'{e:.2g} ln a'}"
                for name, e, log in pairs
            )
        if all(log for _, _, log in pairs):
            return " ".join(power(name, exponent) for name, exponent, _ in pairs)
        return " + ".join(
            f"{exponent:.2g} {f'ln {name}' if log else name}" for name, exponent, log in pairs
        )

    def scene_along(self, picked: np.ndarray) -> tuple[Any, np.ndarray]:
        """The scene as a function of the natural coordinates ``picked``, and these here."""
        point, values = self.point, self.point.values[picked]
        natural = np.where(
            self.logarithmic[picked], np.log(np.where(values > 0, values, 1.0)), values
        )

        def scene_at(here: Any) -> Any:
            shared = jnp.asarray(point.start.shared)
            for j, i in enumerate(picked):
                value = jnp.exp(here[j]) if self.logarithmic[i] else here[j]
                shared = shared.at[point.free[i]].set(point.parameters[i].coordinate(value))
            return point.layout.at(point.scene, shared)[0]

        return scene_at, natural

    def title(self, i: int) -> str:
        """``stiffness K``; with the path where two would read alike."""
        about = self.point.parameters[i].about
        return f"{about.label} {self.short(i)}".strip()

    def short(self, i: int) -> str:
        """The symbol, or the name where two have the same."""
        symbols = [parameter.about.symbol for parameter in self.point.parameters]
        return symbols[i] if symbols[i] and symbols.count(symbols[i]) == 1 else self.names[i]

    # -- parameters

    def parameter(self, i: int, *, probe: bool) -> IdentifiedParameter:
        """Status of one parameter."""
        parameter, value = self.point.parameters[i], float(self.point.values[i])
        covariance, unseen = self.all.covariance()
        _, by_data_unseen = self.data.covariance()
        sd, status, note = math.inf, Identification.DETERMINED, ""
        if unseen[i]:
            everywhere = bool(self.null_everywhere.shape[1]) and bool(
                np.any(np.abs(self.null_everywhere[i]) > NEGLIGIBLE)
            )
            status = Identification.STRUCTURALLY if everywhere else Identification.HERE
            note = (
                "" if everywhere else "at other values of the parameters these data would show it"
            )
        else:
            sd = math.sqrt(max(covariance[i, i], 0.0))
            loose = (
                parameter.about.transform != "identity"
                and max(sd / abs(self.slope[i]), sd if self.logarithmic[i] else 0.0)
                > self.policy.largest_log_sd
            )
            if parameter.at_bound(value):
                status, note = Identification.AT_BOUND, "a standard error does not apply there"
            elif loose:
                status, note = (
                    Identification.PRACTICALLY,
                    f"its standard error would be a factor of {factor(sd)}"
                    if self.logarithmic[i]
                    else "",
                )
            elif by_data_unseen[i]:
                status = Identification.PRIOR_ONLY
            elif probe and parameter.about.transform != "identity":
                far = self.policy.probe_step
                open_sides = [
                    words
                    for words, step in (("larger", far), ("smaller", -far))
                    if self.delta_chi2(i, step) < 1
                ]
                if open_sides:
                    status = Identification.PRACTICALLY
                    note = (
                        f"much {' and '.join(open_sides)} values explain the data as well, with "
                        "other values of the rest"
                    )
        if status not in (Identification.DETERMINED, Identification.PRIOR_ONLY):
            sd = math.inf
        about = parameter.about
        in_units = (
            sd * (abs(value) if self.logarithmic[i] else 1.0) if math.isfinite(sd) else math.inf
        )
        return IdentifiedParameter(
            parameter.name, about.label, about.symbol, about.unit, value, in_units, status, note
        )

    def delta_chi2(self, i: int, step: float) -> float:
        """Rise of chi-squared over the one that excludes a value, when coordinate ``i`` is moved by
        ``step`` and all others adapt.
        """
        point = self.point
        start, problem = point.start, point.problem
        data, lowest = problem.data, 0.0
        if point.assessment is not None:
            lowest = point.assessment.chi2
        else:
            data = expected_data(problem.layout, problem.scene, start.shared, start.local, data)
        shared, frozen = np.array(start.shared, dtype=float), np.array(start.frozen)
        shared[point.free[i]] += step
        frozen[point.free[i]] = True
        _, blocks = minimise_with_blocks(
            problem.layout,
            problem.scene,
            data,
            start._replace(shared=shared, frozen=frozen),
            method="levenberg_marquardt",
            steps=100,
        )
        delta_chi2 = sum_squares(blocks) - lowest
        needed = (
            self.policy.excluding_rise
            if point.assessment is None
            else excluding_rise(point.assessment, self.names[i])
        )
        return delta_chi2 / (self.noise**2 * needed)

    # -- collinearity

    def collinearity(self) -> tuple[float, tuple[tuple[str, str, float], ...]]:
        """Index of all parameters that act on the data, and of the pairs that are nearly
        parallel.
        """
        size = np.sqrt(np.diag(self.data.matrix))
        acting = [
            i
            for i in range(len(self.names))
            if self.data.matrix[i, i] > UNRESOLVED * max(self.data.before[i], 1e-300)
        ]
        cosines = self.data.matrix[np.ix_(acting, acting)] / np.outer(size[acting], size[acting])
        pairs = tuple(
            (self.names[acting[a]], self.names[acting[b]], index)
            for a, b in itertools.combinations(range(len(acting)), 2)
            if (index := collinearity_index(cosines[np.ix_([a, b], [a, b])]))
            > self.policy.collinearity
        )
        return collinearity_index(cosines), pairs


def collinearity_index(cosines: np.ndarray) -> float:
    """``1/sqrt(lambda_min)`` of the information of normalised columns (n, n) (Brun et al. 2001);
    infinite below the rounding.
    """
    if cosines.shape[0] == 0:
        return math.nan
    lowest = float(np.linalg.eigvalsh(cosines)[0])
    return 1 / math.sqrt(lowest) if lowest > UNRESOLVED else math.inf


def null_space(information: SharedInformation) -> np.ndarray:
    """Directions (S, n) that the data do not see, each a column of natural coordinates."""
    null = information.unresolved()
    return null / np.linalg.norm(null, axis=0) if null.shape[1] else null


def simplify_basis(space: np.ndarray) -> np.ndarray:
    """Another basis (S, n) of a null space whose vectors name as few parameters as possible
    (reduced column echelon form).
    """
    basis = space.T.copy()
    for row in range(basis.shape[0]):
        rest = np.abs(basis[row:])
        pivot = int(np.argmax(np.max(rest, axis=0)))
        chosen = row + int(np.argmax(rest[:, pivot]))
        basis[[row, chosen]] = basis[[chosen, row]]
        basis[row] /= basis[row, pivot]
        for other in range(basis.shape[0]):
            if other != row:
                basis[other] -= basis[other, pivot] * basis[row]
    return basis.T


def move_randomly(
    point: WorkingPoint, rng: np.random.Generator
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Coordinates at a random point nearby: shared ones by about a third, a trial's own by a few
    percent of what others of the unit are.
    """
    shared = np.array(point.start.shared, dtype=float)
    shared[point.free] += SPREAD * rng.standard_normal(point.free.size)
    local = []
    for batch, own in zip(point.layout.batches, point.start.local, strict=True):
        own = np.array(own, dtype=float)
        units = [parameter.about.unit for parameter in batch.trial_parameters]
        for column, parameter in enumerate(batch.trial_parameters):
            same = [i for i, unit in enumerate(units) if unit == parameter.about.unit]
            largest = (
                float(np.max(np.abs(own[:, same])))
                if parameter.about.transform == "identity"
                else 1.0
            )
            own[:, column] += 0.05 * (largest or 1.0) * rng.standard_normal(own.shape[0])
        local.append(own)
    return shared, tuple(local)


def own_open(point: WorkingPoint) -> Iterator[str]:
    """Sentences about the trials' own parameters that are not determined even when all shared ones
    are known.
    """
    blocks = point.blocks(priors=False)
    for k, batch in enumerate(point.layout.batches):
        unseen = eliminate(blocks[k]).open
        moving = [
            parameter
            for parameter, still in zip(
                batch.trial_parameters, point.start.frozen_local[k], strict=True
            )
            if not still
        ]
        for column, parameter in enumerate(moving):
            count = int(np.sum(unseen[:, column]))
            if count:
                yield (
                    f"{parameter.about.label} ({parameter.name}) of {count} of "
                    f"{unseen.shape[0]} trials is not determined"
                )


def power(name: str, exponent: float) -> str:
    """``K^0.4``; ``K`` for an exponent of 1."""
    return name if abs(exponent - 1) < 0.005 else f"{name}^{float(f'{exponent:.2g}'):g}"


def factor(sd: float) -> str:
    """A standard error of a logarithm as a factor."""
    return f"{math.exp(sd):.3g}" if sd < 20 else "more than 1e8"


def _lines(found: Identifiability) -> Iterator[str]:
    """The report for a person."""
    where = "at the minimum of the fit" if found.fitted else "at the starting values, before a fit"
    yield f"What the data determine, {where}:"
    wide = max(len(name) for name in found.names)
    for item in found.parameters.values():
        unit = "" if item.unit == "-" else f" {item.unit}"
        if item.status in (Identification.DETERMINED, Identification.PRIOR_ONLY):
            number = (
                f"{value_and_sd(item.value, item.sd)}{unit} ({percent(item.value, item.sd)}), "
                f"{item.status.value}"
            )
        else:
            note = f": {item.note}" if item.note else ""
            number = f"{item.status.value} (looked at {plain(item.value)}{unit}){note}"
        yield f"  {item.name:<{wide}}  {number}"
    for direction in found.directions:
        batch = (
            "structural"
            if direction.structural
            else "at these values"
            if math.isinf(direction.sd)
            else "practical"
        )
        yield f"- {direction.words} ({batch})"
    for first, second, index in found.collinear_pairs:
        if math.isinf(index):
            continue  # a direction of its own, above
        yield f"- {first} and {second} act almost alike (collinearity index {index:.0f})."
    for line in found.own:
        yield f"- {line}."
    if len(found.names) > 1:
        shown = f"{found.collinearity:.3g}" if math.isfinite(found.collinearity) else "infinite"
        yield (
            f"Collinearity index of all: {shown} (1 is independent, above "
            f"{found.policy.collinearity:.0f} hardly to be told apart)."
        )
