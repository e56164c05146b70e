"""How often the automatic fit is right, refuses, or is wrong without a word."""

import dataclasses
import math
import pathlib
import tempfile
import time

import numpy as np

import calibration as cal
from calibration.results.modification import Decision
from experiments.automatic_route.scenarios import Range, Scenario
from experiments.automatic_route.truth import film, write_csv

LEVEL, FAR = 0.95, 4.0


@dataclasses.dataclass(frozen=True)
class Judged:
    """One parameter of one experiment.

    Attributes:
        name: of the parameter.
        determined: whether the result calls it so.
        deviation: of the value from the nearest truth [standard errors]; NaN where undetermined.
        covered: whether the 95 % interval holds it.
    """

    name: str
    determined: bool
    deviation: float
    covered: bool


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What the automatic fit of one experiment said.

    Attributes:
        seed: of the experiment.
        judged: the parameters.
        refused: the words of the error, where there is no fit at all.
        explained, converged: as the fit says.
        noticed: whether one of the remedies of the scenario was named or adopted.
        warnings: all.
        seconds: it took.
    """

    seed: int
    judged: tuple[Judged, ...]
    refused: str
    explained: bool
    converged: bool
    noticed: bool
    warnings: tuple[str, ...]
    seconds: float

    @property
    def silently_wrong(self) -> bool:
        """Whether a value called determined is more than four standard errors from the truth."""
        return any(abs(part.deviation) > FAR for part in self.judged if part.determined)


def run(scenario: Scenario, seed: int) -> Outcome:
    """One experiment: launches, films, files, the automatic fit of the files."""
    experiment = scenario.draw(np.random.default_rng([seed, 1]))
    motions = experiment.motions(1000 * seed)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for k, motion in enumerate(motions):
            files.append(str(pathlib.Path(folder) / f"{k}.csv"))
            seen = film(
                motion, experiment.camera, until=experiment.until, seed=1000 * seed + k + 500
            )
            write_csv(files[-1], experiment.camera, seen)
        ball = experiment.ball
        study = cal.studies.Study(
            files=tuple(files),
            ball=cal.studies.Ball(
                radius=experiment.radius or ball.radius,
                mass=experiment.mass or ball.mass,
                shell=ball.shell,
            ),
        )
        try:
            fit = cal.studies.fit_study(study)
        except cal.InputError as error:
            seconds, noticed = time.perf_counter() - began, _names(scenario, [str(error)])
            return Outcome(seed, (), str(error), False, False, noticed, (), seconds)
    adopted = [item.name for item in fit.modifications if item.decision is Decision.ADOPTED]
    expected = experiment.expected(motions)
    return Outcome(
        seed=seed,
        judged=tuple(
            _judge(fit, name, expected[name]) for name in scenario.judged if name in fit.parameters
        ),
        refused="",
        explained=fit.explained,
        converged=fit.converged,
        noticed=_names(scenario, [*filter(_is_told, fit.warnings), *adopted]),
        warnings=tuple(fit.warnings),
        seconds=time.perf_counter() - began,
    )


def _is_told(warning: str) -> bool:
    """Whether a warning says what the data show, not what was left open."""
    return not warning.startswith("Left open")


def _names(scenario: Scenario, texts: list[str]) -> bool:
    return any(word in text for word in scenario.remedies for text in texts)


def _judge(fit: cal.Fit, name: str, truth: Range) -> Judged:
    estimate = fit.parameters[name]
    if estimate.status is not cal.Determination.DETERMINED:
        return Judged(name, False, math.nan, False)
    nearest = float(np.clip(estimate.value, *truth))
    low, high = estimate.interval(LEVEL)
    covered = low <= truth[1] and truth[0] <= high
    return Judged(name, True, (estimate.value - nearest) / estimate.sd, covered)


@dataclasses.dataclass(frozen=True)
class Row:
    """A parameter in a scenario.

    Attributes:
        scenario, parameter: their names.
        experiments: number of experiments.
        determined: share of them that call the parameter determined.
        covered: share of those whose interval holds the truth.
        bias, spread: mean and standard deviation of the deviations in standard errors.
        far: number of determined values more than four standard errors off.
        noticed: share of the experiments in which the remedy was named or adopted.
        unexplained: share that is refused, not converged or not explained.
    """

    scenario: str
    parameter: str
    experiments: int
    determined: float
    covered: float
    bias: float
    spread: float
    far: int
    noticed: float
    unexplained: float


def summarise(scenario: Scenario, outcomes: list[Outcome]) -> list[Row]:
    """One row for each parameter that is judged."""
    count = len(outcomes)
    noticed = sum(outcome.noticed for outcome in outcomes) / count
    lost = sum(not (outcome.explained and outcome.converged) for outcome in outcomes) / count
    rows = []
    for name in scenario.judged:
        parts = [part for outcome in outcomes for part in outcome.judged if part.name == name]
        good = [part for part in parts if part.determined]
        deviations = np.array([part.deviation for part in good])
        some = len(good) > 0
        rows.append(
            Row(
                scenario=scenario.name,
                parameter=name,
                experiments=count,
                determined=len(good) / count,
                covered=sum(part.covered for part in good) / len(good) if some else math.nan,
                bias=float(deviations.mean()) if some else math.nan,
                spread=float(deviations.std()) if some else math.nan,
                far=int(np.sum(abs(deviations) > FAR)),
                noticed=noticed if scenario.remedies else math.nan,
                unexplained=lost,
            )
        )
    return rows
