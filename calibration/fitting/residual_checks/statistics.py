"""Statistics of residuals, each of the measured ones (the first row) and of drawn ones."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from calibration.fitting.residual_checks.standardised import Series

LAGS = 10
"""Autocorrelations that are looked at."""

FEWEST = 8
"""Numbers from which on a check says something."""


class Outcome(NamedTuple):
    """A statistic of the residuals.

    Attributes:
        value: of the measured residuals.
        typical: median of drawn ones.
        chance: probability of a value as far out.
    """

    value: float
    typical: float
    chance: float


def outcome(values: np.ndarray, *, side: int) -> Outcome | None:
    """The chance of the first of (1 + B) values; ``None`` where they do not vary.

    Args:
        values: of the measured residuals, and of drawn ones.
        side: 1 where large values are far out, -1 where small ones, 0 where both.
    """
    typical = float(np.median(values))
    far = side * values if side else np.abs(values - typical)
    if not np.all(np.isfinite(values)) or np.ptp(values) == 0:
        return None
    chance = np.count_nonzero(far >= far[0] - 1e-12) / far.size
    return Outcome(float(values[0]), typical, float(chance))


def runs_in_order(every: Sequence[Series]) -> Iterator[np.ndarray]:
    """Residuals (1 + B, m) of each column of each trial in their order: of time, else of speed,
    else of their number.
    """
    for one in every:
        for r, c in np.ndindex(one.used.shape[0], one.used.shape[2]):
            rows = np.flatnonzero(one.used[r, :, c])
            speed = one.speed[r, rows]
            if not one.in_time and np.all(np.isfinite(speed)):
                rows = rows[np.argsort(speed, kind="stable")]
            if rows.size >= FEWEST:
                yield one.values[:, r, rows, c]


def count_runs(every: Sequence[Series]) -> Outcome | None:
    """Runs of residuals of one sign (Wald and Wolfowitz, Annals of Mathematical Statistics 11
    (1940) 147-162), of all columns together.
    """
    total = None
    for values in runs_in_order(every):
        runs = 1 + np.count_nonzero(np.diff(values > 0, axis=1), axis=1).astype(float)
        total = runs if total is None else total + runs
    return None if total is None else outcome(total, side=0)


class Autocorrelation(NamedTuple):
    """``outcome`` of the statistic, and the lag [rows] of the largest autocorrelation, how long it
    is [s] and that autocorrelation.
    """

    outcome: Outcome
    lag: int
    seconds: float
    largest: float


def autocorrelate(every: Sequence[Series]) -> Autocorrelation | None:
    """Autocorrelations at up to ``LAGS`` lags (Ljung and Box, Biometrika 65 (1978) 297-303), of
    pairs that are so many intervals of time apart; each less its mean and over its standard
    deviation in drawn residuals.
    """
    products: list[list[np.ndarray]] = [[] for _ in range(LAGS)]
    pairs, intervals = np.zeros(LAGS), []
    for values, times in spaced(every):
        interval = float(np.median(np.diff(times)))
        place = np.round((times - times[0]) / interval).astype(int)
        if np.any(np.diff(place) < 1):
            place = np.arange(times.size)
        intervals.append(interval)
        for lag in range(1, LAGS + 1):
            _, early, late = np.intersect1d(place + lag, place, return_indices=True)
            if early.size >= FEWEST // 2:
                products[lag - 1].append(np.sum(values[:, early] * values[:, late], axis=1))
                pairs[lag - 1] += early.size
    known = [lag for lag in range(LAGS) if pairs[lag] >= FEWEST]
    if not known:
        return None
    found = np.asarray([np.sum(products[lag], axis=0) / pairs[lag] for lag in known])
    centre, spread = found.mean(axis=1, keepdims=True), found.std(axis=1, keepdims=True)
    pulls = (found - centre) / np.where(spread > 0, spread, 1.0)
    made = outcome(np.sum(pulls**2, axis=0), side=1)
    if made is None:
        return None
    worst = int(np.argmax(np.abs(pulls[:, 0])))
    lag = known[worst] + 1
    return Autocorrelation(made, lag, lag * float(np.median(intervals)), float(found[worst, 0]))


def spaced(every: Sequence[Series]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Residuals (1 + B, m) of each column of each trial that is a series in time, with the
    times.
    """
    for one in every:
        if not one.in_time:
            continue
        for r, c in np.ndindex(one.used.shape[0], one.used.shape[2]):
            rows = np.flatnonzero(one.used[r, :, c])
            times = one.times[r, rows]
            if rows.size >= FEWEST and np.all(np.diff(times) > 0):
                yield one.values[:, r, rows, c], times


def correlate_quantiles(every: Sequence[Series]) -> Outcome | None:
    """Correlation of the ordered residuals with normal quantiles, the straightness of the Q-Q plot
    (Filliben, Technometrics 17 (1975) 111-117).
    """
    parts = [
        one.values[..., column][:, one.used[..., column]]
        for one in every
        for column in np.flatnonzero(one.normal)
    ]
    values = np.concatenate([np.zeros((parts[0].shape[0], 0)), *parts], axis=1) if parts else None
    if values is None or values.shape[1] < FEWEST:
        return None
    quantiles = stats.probplot(values[0], fit=False)[0]
    ordered = np.sort(values, axis=1)
    ordered = ordered - ordered.mean(axis=1, keepdims=True)
    straight = ordered @ quantiles / np.linalg.norm(ordered, axis=1) / np.linalg.norm(quantiles)
    return outcome(straight, side=-1)


def correlate_speed(every: Sequence[Series]) -> Outcome | None:
    """Rank correlation (Spearman) of the sizes of residuals with the speed of the ball."""
    sizes, speeds = [], []
    for one in every:
        known = one.used & np.isfinite(one.speed)[..., None]
        sizes.append(np.abs(one.values[:, known]))
        speeds.append(np.broadcast_to(one.speed[..., None], known.shape)[known])
    speed = np.concatenate(speeds) if speeds else np.zeros(0)
    if speed.size < FEWEST or np.ptp(speed) == 0:
        return None
    ranks = stats.rankdata(np.concatenate(sizes, axis=1), axis=1)
    ranks = ranks - ranks.mean(axis=1, keepdims=True)
    by = stats.rankdata(speed)
    by = by - by.mean()
    return outcome(ranks @ by / np.linalg.norm(ranks, axis=1) / np.linalg.norm(by), side=0)
