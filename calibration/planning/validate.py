"""Validation of a planned experiment: measured many times in simulation, fitted together with the
data at hand, and compared with what was expected.
"""

import dataclasses
import math
from typing import Any

import jax
import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.optimise.batched import minimise_each
from calibration.optimise.coordinates import Start
from calibration.planning.candidate import Candidate
from calibration.planning.expected_information import Expectation
from calibration.planning.planned import PlannedTrials
from calibration.problem.problem import Problem
from calibration.problem.residuals import Layout
from calibration.problem.statuses import mark_simulated
from calibration.results.result import Fit
from calibration.uncertainty.linearisation import WorkingPoint, working_point
from calibration.uncertainty.synthetic import expected_data, simulate_measurements

FEWEST = 20
"""Replicates below which a standard deviation says little."""


@dataclasses.dataclass(frozen=True)
class DesignValidation:
    """Promised and simulated standard errors after an experiment, by name: relative for positive
    parameters.

    Attributes:
        candidate: the experiment.
        now: standard errors at present, infinite where not determined.
        promised: standard errors after the experiment, as ``design`` expects them.
        simulated: standard deviation of the estimates over the replicates.
        replicates: number of replicates that converged and were simulated, of those that were
            asked for.

    Example:
        >>> camera = cal.instruments.Film(rate=240.0, sigma=3e-4)
        >>> validation = cal.DesignValidation(
        ...     candidate=cal.Candidate(instruments=(camera,)),
        ...     now={"contact.normal.restitution": 0.01},
        ...     promised={"contact.normal.restitution": 0.005},
        ...     simulated={"contact.normal.restitution": 0.004},
        ...     replicates=64,
        ... )
        >>> validation.narrowing("contact.normal.restitution")
        (2.0, 2.5)
    """

    candidate: Candidate
    now: dict[str, float]
    promised: dict[str, float]
    simulated: dict[str, float]
    replicates: int

    def narrowing(self, name: str) -> tuple[float, float]:
        """Factor by which the interval of a parameter shrinks: as expected, and in simulation."""
        return self.now[name] / self.promised[name], self.now[name] / self.simulated[name]


def validate_design(
    given: Problem | Fit, candidate: Candidate, *, replicates: int = 64, seed: int = 0
) -> DesignValidation:
    """Do an experiment many times in simulation, fit it together with the data at hand, and compare
    the scatter of the estimates with the expected standard errors.

    The working point is taken as the truth. All data are simulated anew for each replicate, also
    those at hand; all are fitted at once, in one ``vmap``.

    Args:
        given: what the experiment adds to, as for ``design``.
        candidate: the experiment, with fixed design variables.
        replicates: number of simulations; n give a standard deviation to ``1/sqrt(2 n)``.
        seed: of the noise.

    Raises:
        InputError: fewer than 20 replicates, or a candidate that would measure nothing.

    Example:
        >>> def impacts(count):
        ...     return cal.ImpactTable(
        ...         name="head-on",
        ...         impact_angle=np.zeros(count),
        ...         impact_speed=np.full(count, 2.0),
        ...         normal_restitution=np.full(count, 0.8),
        ...         sigma={"normal_restitution": np.full(count, 0.01)},
        ...     )
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.0027),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8)),
        ... )
        >>> problem = cal.Problem(scene, [impacts(4)], free=["contact.normal.restitution"])
        >>> validation = cal.validate_design(problem, cal.Candidate(instruments=impacts(12)))
        >>> expected, simulated = validation.narrowing("contact.normal.restitution")
        >>> round(expected, 3), 1.6 < simulated < 2.4
        (2.0, True)
    """
    if not (isinstance(replicates, int) and replicates >= FEWEST):
        raise InputError(
            f"validate_design: replicates = {replicates!r} is not a whole number from {FEWEST}."
        )
    with jax.enable_x64(True):
        point = working_point(given, argument="validate_design")
        expectation = Expectation(point, average=0, seed=seed)
        planned = PlannedTrials(point, [candidate])
        if planned.silent:
            raise InputError(f"validate_design: {candidate.name} would measure nothing.")
        now, _ = expectation.standard_errors(expectation.known)
        (added,) = planned.information(point.start.shared)
        if isinstance(added, jc.Status):
            raise InputError(
                f"validate_design: the simulation of {candidate.name} did not succeed "
                f"({added.name})",
                remedy=added.advice,
            )
        after, _ = expectation.standard_errors(expectation.known + added.times(candidate.repeats))
        layout, data, start = append_experiment(point, planned, candidate.repeats)
        truth = expected_data(layout, point.scene, start.shared, start.local, data)
        anew = simulate_measurements(np.random.default_rng(seed), truth, replicates)
        minima, _, blocks = minimise_each(
            layout, point.scene, anew, start, each=(True, False), keep_blocks=True
        )
        kept = np.asarray(minima.converged) & mark_simulated(
            layout, point.scene, minima.shared, minima.local, anew, blocks or ()
        )
        estimates = np.asarray(minima.shared)[kept][:, point.free]
        scatter = np.std(
            to_natural_coordinates(point, estimates, expectation.logarithmic), axis=0, ddof=1
        )
        names = [parameter.name for parameter in point.parameters]
        before, promised, simulated = (
            dict(zip(names, map(float, column), strict=True))
            for column in (now, after, np.where(np.isfinite(after), scatter, math.inf))
        )
        return DesignValidation(candidate, before, promised, simulated, int(kept.sum()))


def append_experiment(
    point: WorkingPoint, planned: PlannedTrials, repeats: int
) -> tuple[Layout, tuple[Any, ...], Start]:
    """Join the data at hand and a planned experiment in one problem: its layout, data and truth."""
    (group,) = planned.groups
    layout = dataclasses.replace(
        point.layout, batches=point.layout.batches + group.problem.layout.batches
    )
    again = tuple(
        jax.tree.map(lambda column: np.repeat(np.asarray(column), repeats, axis=0), batch)
        for batch in group.problem.data
    )
    local = tuple(np.repeat(own, repeats, axis=0) for own in group.local)
    # Data at hand are as noisy as their residuals say.
    error_scale_factor = (
        float(np.median(point.error_scale_factor)) if point.error_scale_factor.size else 1.0
    )
    at_hand = tuple(
        batch._replace(
            samples=tuple(
                own._replace(weight=np.asarray(own.weight) / error_scale_factor)
                for own in batch.samples
            )
        )
        for batch in point.problem.data
    )
    start = point.start
    return (
        layout,
        (*at_hand, *again),
        start._replace(
            local=(*start.local, *local),
            frozen_local=(
                *start.frozen_local,
                *(np.zeros(own.shape[1], dtype=bool) for own in local),
            ),
            stages=tuple(np.full((1, own.shape[0]), np.inf) for own in (*start.local, *local)),
        ),
    )


def to_natural_coordinates(
    point: WorkingPoint, coordinates: np.ndarray, logarithmic: np.ndarray
) -> np.ndarray:
    """Natural coordinates of estimates (replicates, S)."""
    columns = [
        np.asarray(parameter.value(coordinates[:, i]))
        for i, parameter in enumerate(point.parameters)
    ]
    return np.stack(
        [
            np.log(column) if log else column
            for column, log in zip(columns, logarithmic, strict=True)
        ],
        axis=-1,
    )
