"""Which laws the data contradict: each law in turn is taken for the truth.

Were law M the truth, data drawn from its fit would prefer another law as much as these do only by
chance. The statistic is ``T = D_M - min_k D_k`` over all laws, D the ``-2 ln L`` at the minimum
(Cox, Journal of the Royal Statistical Society B 24 (1962) 406-424), its distribution that of data
drawn from the fit of M, to which all laws are fitted again (Williams, Biometrics 26 (1970) 23-32).
So it makes no difference whether laws contain each other, or whether a parameter ends at a bound,
where T is no chi-squared. Only one law is the truth: it is called contradicted as often as
``level`` says, however many others there are.

Drawing ends as soon as the outcome is certain (Besag and Clifford, Biometrika 78 (1991) 301-304).
A law that is behind by no more than one superfluous parameter gains is let pass without draws.
A law that is far behind needs no draws: T is at most about chi-squared with a degree of freedom for
each parameter of the other law and one for the distance between both.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import jax
import numpy as np
from scipy import stats

from calibration.fitting.assessment import Assessment
from calibration.fitting.linearised import component_of_rows
from calibration.fitting.scatter import least_deviance, scattering_problem
from calibration.nuisances.restitution import DEVIATION
from calibration.optimise.batched import minimise_each
from calibration.problem.residuals import Block
from calibration.results.result import Fit
from calibration.selection.information_criteria import (
    count_observations,
    count_parameters,
    mark_estimated_sizes,
    normalise_errors,
    sum_squares,
)
from calibration.uncertainty.bootstrap import affordable_lanes
from calibration.uncertainty.resampling import Redrawable, correlate, draw_noise, prepare_redraws
from calibration.uncertainty.synthetic import expected_data, repeat_data

REPLICATES = 499
"""Data that are drawn of a law at most; which these are changes the level by 1 %."""

CERTAIN = 0.02
"""Part of the level at which a law needs no draws to be contradicted."""

STEPS = 60
"""Iterations of each fit to drawn data."""


class Noise(NamedTuple):
    """What is taken as the noise of the data under every law: that of the law which does best.

    Attributes:
        found: (C,) whether the size of the errors of each measured quantity is found from the
            residuals of each law.
        errors: how it is drawn, of each observation of each batch.
        size: of the errors of samples beside impacts that scatter.
    """

    found: np.ndarray
    errors: list[list[Redrawable]]
    size: float

    @classmethod
    def of(cls, assessment: Assessment) -> "Noise":
        """At the minimum of the best law."""
        robust = np.asarray([one.model.robust for one in assessment.linearised.components])
        free = assessment.variance_components.free_size & ~robust
        return cls(
            free | mark_estimated_sizes(assessment),
            prepare_redraws(assessment),
            assessment.trial_error_scale_factor,
        )


def find_chances(
    fits: Mapping[str, Fit], *, level: float, replicates: int = REPLICATES, seed: int = 0
) -> dict[str, float]:
    """Probability, were a law the truth, of data that prefer another law as much as these, of each
    law; an upper bound of it where no data need be drawn. A law is contradicted where it is at most
    ``level``.

    Args:
        fits: of laws to the same data, by name.
        level: at which laws will be called contradicted.
        replicates: data that are drawn of each law, at most.
        seed: of the draws.
    """
    laws = {name: found.assessment for name, found in fits.items()}
    noise = Noise.of(min(laws.values(), key=lambda one: one.chi2))
    deviance = {name: deviance_of(one, one.blocks, noise) for name, one in laws.items()}
    best = min(deviance, key=lambda name: deviance[name])
    chances = {name: bound_chance(deviance, laws, name, noise) for name in laws}
    open_ = [name for name in laws if chances[name] > CERTAIN * level] or [best]
    lowest = min(deviance[name] for name in open_)
    # What one superfluous parameter with a bound gains at this level speaks against no law.
    little = float(stats.chi2.isf(min(2 * level, 1.0), 1))
    for name in open_:
        behind = deviance[name] - lowest
        if behind > little and same_batches(fits):
            rivals = {one: laws[one] for one in open_}
            chances[name] = draw_chance(
                rivals, name, behind, noise, level=level, replicates=replicates, seed=seed
            )
    return chances


def same_batches(fits: Mapping[str, Fit]) -> bool:
    """Whether all problems have their trials in the same batches, so that data of one fit into the
    other.
    """
    first, *others = [found.problem.members for found in fits.values()]
    return all(one == first for one in others)


def bound_chance(
    deviance: Mapping[str, float], laws: Mapping[str, Assessment], name: str, noise: Noise
) -> float:
    """Upper bound of the chance of one law, from chi-squared, or F where sizes of errors are found;
    the smallest over the other laws, as many times as there are of them.
    """
    chances = []
    for other, assessment in laws.items():
        behind = deviance[name] - deviance[other]
        if other == name or behind <= 0:
            continue
        degrees = len(assessment.layout.scene_parameters) + 1
        if np.any(noise.found):
            count = count_observations(assessment)
            left = max(count - count_parameters(assessment), 1.0)
            ratio = math.expm1(min(behind / count, 100.0)) * left / degrees
            chances.append(float(stats.f.sf(ratio, degrees, left)))
        else:
            chances.append(float(stats.chi2.sf(behind, degrees)))
    return min(1.0, len(laws) * min(chances, default=1.0))


def draw_chance(
    laws: Mapping[str, Assessment],
    name: str,
    behind: float,
    noise: Noise,
    *,
    level: float,
    replicates: int,
    seed: int,
) -> float:
    """Chance of one law from data that are drawn of it.

    Args:
        laws: that are fitted to the drawn data, this one among them.
        name: of the law that is taken for the truth.
        behind: T of the data.
        noise: of the data.
        level: at which it is decided.
        replicates: at most.
        seed: of the draws.
    """
    lanes = min(affordable_lanes(one) for one in laws.values())
    # From so many replicates that are as far behind on, the chance is above the level for certain.
    enough = math.floor(level * (replicates + 1))
    seen = 0
    for first in range(0, replicates, lanes):
        drawn = draw_data(laws[name], noise, np.arange(first, first + lanes), seed)
        fitted = {one: deviance_of_drawn(law, drawn, noise) for one, law in laws.items()}
        own = fitted.pop(name)
        falls = own - np.min([own, *fitted.values()], axis=0)
        for position, fall in enumerate(falls[: replicates - first]):
            seen += bool(not np.isfinite(fall) or fall >= behind)
            if seen == enough:
                return enough / (first + position + 1)
    return (seen + 1) / (replicates + 1)


def draw_data(
    truth: Assessment, noise: Noise, numbers: np.ndarray, seed: int
) -> list[list[np.ndarray]]:
    """Measured numbers (B, R, n, k) of each observation of each batch, drawn from the fit of a
    law.

    Args:
        truth: its minimum.
        noise: of the data.
        numbers: of the replicates; the same number is drawn alike.
        seed: of all.
    """
    generators = [np.random.default_rng([seed, int(number)]) for number in numbers]
    local = draw_deviations(truth, generators)
    expected = [
        expected_data(
            truth.layout,
            truth.scene,
            truth.minimum.shared,
            own,
            truth.data,
        )
        for own in local
    ]
    found = []
    for k, errors in enumerate(noise.errors):
        of_batch = []
        for i, one in enumerate(errors):
            predicted = np.stack([np.asarray(each[k].samples[i].measured) for each in expected])
            white = correlate(one, [draw_noise(one, rng) for rng in generators])
            weight = np.where(one.weight > 0, one.weight, 1.0)
            of_batch.append(predicted + np.where(one.weight > 0, white / weight, 0.0))
        found.append(of_batch)
    return found


def draw_deviations(
    truth: Assessment, generators: Sequence[np.random.Generator]
) -> list[tuple[np.ndarray, ...]]:
    """Own coordinates of the trials of each batch, of each of the drawn data, with the deviations
    of single impacts drawn; only once where there are none.
    """
    kept = tuple(np.asarray(own) for own in truth.minimum.local)
    deviating = [
        [parameter.name.startswith(DEVIATION) for parameter in batch.trial_parameters]
        for batch in truth.layout.batches
    ]
    if not any(map(any, deviating)):
        return [kept]
    sizes = [
        np.asarray([parameter.prior.sd if moves else 0.0 for parameter, moves in pairs])
        for pairs in (
            list(zip(batch.trial_parameters, own, strict=True))
            for batch, own in zip(truth.layout.batches, deviating, strict=True)
        )
    ]
    return [
        tuple(
            np.where(size > 0, size * rng.standard_normal(own.shape), own)
            for own, size in zip(kept, sizes, strict=True)
        )
        for rng in generators
    ]


def deviance_of_drawn(law: Assessment, drawn: list[list[np.ndarray]], noise: Noise) -> np.ndarray:
    """``-2 ln L`` (B,) of a law at its minimum on each of the drawn data.

    Each fit begins at the minimum on the data, and once more with the parameters of the law as they
    began: a parameter that ended where it has no effect shows no way back.
    """
    data = repeat_data(law.data, drawn)
    here = law.start.from_minimum(law.minimum)
    of_law = len(law.layout.scene_parameters)
    shared = np.array(here.shared)
    shared[:of_law] = np.asarray(law.start.shared)[:of_law]
    found = [
        minimise_each(
            law.layout, law.scene, data, start, each=(True, False), steps=STEPS, keep_blocks=True
        )
        for start in (here, here._replace(shared=shared))
    ]
    first, second = (np.nan_to_num(chi2, nan=np.inf) for _, chi2, _ in found)
    blocks = jax.tree.map(
        lambda one, other: np.where(
            (first <= second).reshape(-1, *(1,) * (np.ndim(one) - 1)), one, other
        ),
        found[0][2],
        found[1][2],
    )
    return deviance_of_lanes(law, blocks, noise)


def deviance_of(law: Assessment, blocks: tuple[Block, ...], noise: Noise) -> float:
    """``deviance_of_lanes`` of one minimum."""
    lanes = jax.tree.map(lambda part: np.asarray(part)[None], blocks)
    return float(deviance_of_lanes(law, lanes, noise)[0])


def deviance_of_lanes(law: Assessment, blocks: tuple[Block, ...], noise: Noise) -> np.ndarray:
    """``-2 ln L`` (B,) of a law with what is known beforehand, at minima: with the sizes of errors
    at their best values where these are found, and the deviations of single impacts integrated
    out, their size at its best value.

    Args:
        law: minimum on the data, which tells the structure.
        blocks: residuals and derivatives at the minima, with a leading axis.
        noise: of the data.
    """
    if law.scattering is not None:
        lanes = range(len(blocks[0].residual))
        return np.asarray([integrate_deviations(law, blocks, lane, noise) for lane in lanes])
    squares, rest = np.zeros((len(law.linearised.components), len(blocks[0].residual))), 0.0
    for k, block in enumerate(blocks):
        square = np.sum(np.asarray(block.residual) ** 2, axis=1)
        if k >= len(law.data):
            rest = rest + square.sum(axis=1)
            continue
        member = component_of_rows(
            law.linearised.batches[k], jax.tree.map(lambda part: part[0], block)
        )
        rest = rest + square[:, member < 0].sum(axis=1)
        np.add.at(squares, member[member >= 0], square[:, member >= 0].T)
    counts, known = law.linearised.counts, normalise_errors(law)
    return known + rest + np.asarray([sum_squares(own, counts, noise.found) for own in squares.T])


def integrate_deviations(
    law: Assessment, blocks: tuple[Block, ...], lane: int, noise: Noise
) -> float:
    """``-2 ln L`` of a law whose impacts deviate, at one of several minima."""
    own = law.start.free_blocks(jax.tree.map(lambda part: part[lane], blocks))
    shared = np.asarray(law.minimum.shared)
    posed = scattering_problem(law.layout, shared, law.data, own, noise.size)
    assert posed is not None
    return normalise_errors(law) + least_deviance(posed)
