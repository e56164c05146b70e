"""Continuous design variables of a candidate: a grid for where the information jumps, then exact
derivatives for where it is smooth.

The information of an experiment jumps where another bounce comes into view, another picture fits
into the film, or a sample falls on the other side of an impact; a gradient sees none of these. So
all of the bounds is searched first, on a grid (one variable) or a Sobol sequence (several). From
the best of these points, L-BFGS-B follows the derivative of the criterion, which is exact: forward
mode over the forward-mode derivatives of the simulation (a few variables over a few parameters).
What it finds is planned anew, with whole pictures and the impacts that are in view, and is kept
only where it is better.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize
from scipy.stats import qmc

from calibration.planning.candidate import Candidate
from calibration.planning.criteria import Criterion
from calibration.planning.expected_information import Expectation
from calibration.planning.planned import PlannedGroup, PlannedTrials, plan_coordinates
from calibration.results.numbers import plain

GRID = 25
"""Points along one variable."""

SOBOL = 64
"""Points of a search in several variables."""

RIDGE = 1e-12
"""Relative curvature added where a direction is not seen, so that a logarithm stays finite."""

AT_END = 0.01
"""Part of the bounds within which a variable counts as at their end."""


@dataclasses.dataclass(frozen=True)
class BestDesign:
    """How the design variables of a candidate were chosen.

    Attributes:
        candidate: with the best values.
        variables: by name.
        criterion: expected, there; ``grid`` (points, variables) and ``on_grid`` (points,) those of
            the search.
        polished: whether following the gradient improved on the grid.
        words: one sentence.
    """

    candidate: Candidate
    variables: dict[str, float]
    criterion: float
    grid: np.ndarray
    on_grid: np.ndarray
    polished: bool
    words: str


def find_best_design(
    expectation: Expectation, candidate: Candidate, criterion: Criterion
) -> BestDesign:
    """The design variables of a candidate, within its bounds, that make the criterion smallest."""
    names, bounds = tuple(candidate.vary), np.asarray(list(candidate.vary.values()), dtype=float)
    grid = make_search_points(bounds)
    options = [candidate.with_variables(dict(zip(names, point, strict=True))) for point in grid]
    on_grid = expectation.criteria(options, criterion)
    lowest = int(np.argmin(on_grid))
    best, value, polished = grid[lowest], float(on_grid[lowest]), False
    smooth = shows_start(candidate) and all(instrument.smooth for instrument in candidate.watching)
    if np.isfinite(value) and smooth:
        point = follow_gradient(expectation, options[lowest], criterion, best, bounds)
        planned_anew = candidate.with_variables(dict(zip(names, point, strict=True)))
        again = float(expectation.criteria([planned_anew], criterion)[0])
        if again < value:
            best, value, polished = point, again, True
    variables = dict(zip(names, map(float, best), strict=True))
    words = _words(variables, bounds, polished=polished, smooth=smooth, points=len(grid))
    return BestDesign(
        candidate.with_variables(variables), variables, value, grid, on_grid, polished, words
    )


def shows_start(candidate: Candidate) -> bool:
    """Whether an instrument follows the motion from its start; else the first impact is where it
    begins.
    """
    if candidate.nuisance is not None:
        return True
    return any(instrument.shows_start for instrument in candidate.watching)


def make_search_points(bounds: np.ndarray) -> np.ndarray:
    """Points (n, variables) between bounds (variables, 2): evenly spaced for one variable, a Sobol
    sequence for several.
    """
    if len(bounds) == 1:
        return np.linspace(bounds[0, 0], bounds[0, 1], GRID)[:, None]
    unit = qmc.Sobol(len(bounds), scramble=False).random(SOBOL)
    return qmc.scale(unit, bounds[:, 0], bounds[:, 1])


def follow_gradient(
    expectation: Expectation,
    candidate: Candidate,
    criterion: Criterion,
    start: np.ndarray,
    bounds: np.ndarray,
) -> np.ndarray:
    """Design variables (variables,) where the derivative of the criterion leads from ``start``,
    within bounds.
    """
    objective = make_smooth_criterion(expectation, candidate, criterion)
    width = bounds[:, 1] - bounds[:, 0]
    both = jax.jit(
        lambda unit: (
            objective(bounds[:, 0] + width * unit),
            jax.jacfwd(lambda u: objective(bounds[:, 0] + width * u))(unit),
        )
    )

    def value_and_gradient(unit: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = both(jnp.asarray(unit))
        return float(value), np.where(np.isfinite(gradient), gradient, 0.0)

    minimum = minimize(
        value_and_gradient,
        (start - bounds[:, 0]) / width,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, 1.0)] * len(start),
        options={"maxiter": 30},
    )
    return bounds[:, 0] + width * np.clip(minimum.x, 0.0, 1.0)


def make_smooth_criterion(
    expectation: Expectation, candidate: Candidate, criterion: Criterion
) -> Callable[[jax.Array], jax.Array]:
    """Logarithm of the expected criterion as a function of the design variables (variables,), for
    the samples that ``candidate`` has.
    """
    planned = PlannedTrials(expectation.point, [candidate])
    (group,) = planned.groups
    known = jnp.asarray(
        [expectation.to_natural(information).matrix for information in expectation.known_at]
    )
    names = tuple(candidate.vary)
    draws = jnp.asarray(expectation.draws)

    def at_draw(shared: jax.Array, known: jax.Array, variables: dict[str, jax.Array]) -> jax.Array:
        added = candidate.repeats * trace_information(planned, group, candidate, shared, variables)
        total = known + added / np.outer(expectation.slope, expectation.slope)
        size = jnp.sqrt(jnp.diag(total))
        scaled = total / jnp.outer(size, size) + RIDGE * jnp.eye(size.size)
        return jnp.log(criterion.evaluate(jnp.linalg.inv(scaled) / jnp.outer(size, size)))

    def objective(values: jax.Array) -> jax.Array:
        variables = {name: values[i] for i, name in enumerate(names)}
        return jnp.mean(
            jax.lax.map(lambda draw: at_draw(draw[0], draw[1], variables), (draws, known))
        )

    return objective


def trace_information(
    planned: PlannedTrials,
    group: PlannedGroup,
    candidate: Candidate,
    shared: jax.Array,
    variables: dict[str, jax.Array],
) -> jax.Array:
    """Information of one repeat on the free shared coordinates (S, S), differentiable by the design
    variables.
    """
    problem = group.problem
    (batch,), (row,) = problem.layout.batches, problem.data
    data = jax.tree.map(lambda column: jnp.asarray(column)[0], row)
    start = candidate.start(planned.scene, variables)
    duration = variables.get("duration", candidate.duration)
    samples = tuple(
        instrument.move_samples(planned_samples, variables, duration)
        for instrument, planned_samples in zip(candidate.watching, data.samples, strict=True)
    )
    initial = data.initial._replace(
        position=start.position, velocity=start.velocity, spin=start.spin
    )
    data = data._replace(samples=samples, initial=initial)
    guess = plan_coordinates(batch, group.local[0][0], planned.known_values(0, start))

    def residual(free: jax.Array, local: jax.Array) -> jax.Array:
        everything = jnp.asarray(shared).at[planned.point.free].set(free)
        return problem.layout.residual(0, planned.point.scene, everything, local, data)

    by_shared, by_local = jax.jacfwd(residual, argnums=(0, 1))(
        jnp.asarray(shared)[planned.point.free], guess
    )
    if by_local.shape[1] == 0:
        return by_shared.T @ by_shared
    length = jnp.sqrt(jnp.sum(by_local**2, axis=0))
    unit = by_local / jnp.where(length > 0, length, 1.0)
    coupling = jnp.linalg.solve(unit.T @ unit + RIDGE * jnp.eye(unit.shape[1]), unit.T @ by_shared)
    projected = by_shared - unit @ coupling
    return projected.T @ projected


def _words(
    variables: dict[str, float], bounds: np.ndarray, *, polished: bool, smooth: bool, points: int
) -> str:
    """How they were chosen."""
    parts = []
    for (name, value), (low, high) in zip(variables.items(), bounds, strict=True):
        end = ""
        if value - low < AT_END * (high - low):
            end = ", the lower end of its bounds"
        elif high - value < AT_END * (high - low):
            end = ", the upper end of its bounds"
        parts.append(f"{name} {plain(float(f'{value:.3g}'))}{end}")
    if not smooth:
        how = "and as what is measured moves with the first contact, no derivative was followed"
    elif polished:
        how = "then along the exact derivative"
    else:
        how = "where following the derivative found nothing better"
    return (
        f"Best {' and '.join(parts)} (searched at {points} points, as the information jumps with "
        f"each bounce that comes into view, {how})."
    )
