"""What a run that slows down shows before any fit: its noise, its first rate, and the moment at
which something else happened than rolling or spinning to rest.

A run is cut at each sample. Where two pieces whose rates are straight lines explain its
neighbourhood much better than one smooth curve of as many coefficients does, the run breaks there:
it *jumps* (an end stop), or *bends* (a ball that slid before it rolled). That a body comes to rest,
and that a ball on a slope turns round, are breaks that belong to a run.
"""

import enum
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.detection.noise import rounding_step

Numbers = NDArray[np.float64]
Counts = NDArray[np.int_]

BLOCK, ODD_BLOCK = 12, 3.0
"""Samples of a block in which a run is smooth, and how much more than that of the usual block the
mean square of its residuals may be: a break is no noise.
"""

WINDOWS = (6, 12, 25, 50)
"""Samples on each side of a cut, at most; a tenth of all is tried, too."""

LEAST = 4
"""Samples on each side of a cut, at least."""

CUTS = 300
"""Cuts that are tried at most, evenly spaced."""

TOGETHER = 100_000
"""Samples that polynomials are fitted to at once, at most: what they take of memory."""

GAIN, OUTSTANDING = 50.0, 8.0
"""Chi-squared that a break must gain, and over what cuts elsewhere gain: correlated noise gains
everywhere.
"""

SURE = 6.0
"""Standard deviations by which a jump or a bend must be seen."""

JUMP, BEND = 0.1, 0.5
"""Least jump over the largest rate, and least change of the slope over the larger slope."""

STILL = 0.03
"""Share of the largest rate below which a body is said to be at rest, or to turn."""


class Kind(enum.Enum):
    """What happens at a break."""

    JUMP = "jump"
    BEND = "bend"


class Side(NamedTuple):
    """A run on one side of a cut: rate and slope of the rate there, with standard deviations."""

    rate: float
    rate_sd: float
    slope: float
    slope_sd: float


class Break(NamedTuple):
    """A moment at which a run breaks.

    Attributes:
        time: of it [s].
        kind: jump or bend.
        before, after: the run on both sides.
    """

    time: float
    kind: Kind
    before: Side
    after: Side


class Run(NamedTuple):
    """A run that decays.

    Attributes:
        time: (n,) [s].
        values: (n,) of the rate (a speed, a spin), or of the path whose derivative it is.
        of_path: whether they are of the path.
        noise: standard deviation of a value.
    """

    time: Numbers
    values: Numbers
    of_path: bool
    noise: float

    @property
    def degree(self) -> int:
        """Of a polynomial whose rate is a straight line."""
        return 2 if self.of_path else 1

    def part(self, first: int, stop: int) -> "Run":
        """Samples of it."""
        return self._replace(time=self.time[first:stop], values=self.values[first:stop])


def make_run(time: Numbers, values: Numbers, *, of_path: bool) -> Run:
    """A run with the noise that its neighbouring samples show: the scatter about smooth pieces."""
    seen = np.isfinite(values)
    run = Run(time[seen], values[seen], of_path, 1.0)
    # Its square must be a number, too, where nothing moves at all.
    least = max(1e-9 * float(np.max(np.abs(run.values), initial=0.0)), 1e-150)
    return run._replace(noise=max(_scatter(run), rounding_step(run.values) / np.sqrt(12), least))


def _scatter(run: Run) -> float:
    """Standard deviation about a polynomial in each block of samples."""
    count, coefficients = len(run.time), run.degree + 2
    edges = np.linspace(0, count, max(1, count // BLOCK) + 1).astype(int)
    first, stop = edges[:-1], edges[1:]
    squares = _misfits(run, first, stop, run.time[first], coefficients - 1)
    freedom = np.diff(edges) - coefficients
    usual = squares / freedom <= ODD_BLOCK * np.median(squares / freedom)
    return float(np.sqrt(np.sum(squares[usual]) / np.sum(freedom[usual])))


def fit_side(run: Run, moment: float) -> Side:
    """Rate and slope at a moment, of a polynomial through a run."""
    coefficients, covariance = _polynomial(run, moment, run.degree)
    first = run.degree - 1
    factor = float(run.degree)  # the second derivative of c t^2 is 2 c, the first of c t is c
    sd = np.sqrt(np.diag(covariance))
    return Side(
        float(coefficients[first]),
        float(sd[first]),
        float(factor * coefficients[first + 1]),
        float(factor * sd[first + 1]),
    )


def largest_rate(run: Run) -> float:
    """Largest rate of a run."""
    rates = np.gradient(run.values, run.time) if run.of_path else run.values
    return float(np.quantile(np.abs(rates), 0.95))


def find_break(run: Run) -> Break | None:
    """The first moment at which a run breaks otherwise than by coming to rest or turning round;
    ``None`` where there is none.
    """
    return _find_break(run, largest_rate(run))


def _find_break(run: Run, largest: float) -> Break | None:
    count = len(run.time)
    if count < 2 * LEAST:
        return None
    for cut, window in _best_cuts(run):
        found = _classify(run, cut, window, largest)
        if found is None:
            continue
        if isinstance(found, Break):
            earlier = _find_break(run.part(0, cut), largest)
            return earlier or found
        # It comes to rest or turns there: each side is a run by itself.
        earlier = _find_break(run.part(0, cut), largest)
        return earlier or _find_break(run.part(cut, count), largest)
    return None


def _best_cuts(run: Run) -> Iterator[tuple[int, int]]:
    """The best cut of each length of the windows, where it stands out, the best of all first, with
    the window.
    """
    count = len(run.time)
    cuts = np.unique(np.linspace(LEAST, count - LEAST, min(count, CUTS)).astype(int))
    found = []
    for window in sorted({*WINDOWS, count // 10}):
        if window < LEAST:
            continue
        gains = _gains(run, cuts, window)
        best = int(np.argmax(gains))
        if gains[best] > max(GAIN, OUTSTANDING * float(np.median(np.abs(gains)))):
            found.append((float(gains[best]), int(cuts[best]), window))
    yield from ((cut, window) for _, cut, window in sorted(found, reverse=True))


def _gains(run: Run, cuts: Counts, window: int) -> Numbers:
    """Chi-squared that two pieces, one on each side of a cut, take from that of one smooth curve,
    at each cut.
    """
    first, stop = np.maximum(cuts - window, 0), np.minimum(cuts + window, len(run.time))
    moments = run.time[cuts]
    pieces = [
        _misfits(run, start, end, moments, run.degree)
        for start, end in ((first, cuts), (cuts, stop))
    ]
    return _misfits(run, first, stop, moments, 2 * run.degree + 1) - sum(pieces)


def _sides(run: Run, cut: int, window: int) -> tuple[Run, Run]:
    return run.part(max(cut - window, 0), cut), run.part(cut, cut + window)


def _classify(run: Run, cut: int, window: int, largest: float) -> Break | bool | None:
    """The break at a cut, ``True`` where the body comes to rest or turns round there, ``None``
    where nothing is seen.
    """
    sides = _sides(run, cut, window)
    moment = float((run.time[cut - 1] + run.time[cut]) / 2)
    before, after = (fit_side(side, moment) for side in sides)
    jump, bend = before.rate - after.rate, after.slope - before.slope
    larger = max(abs(before.slope), abs(after.slope))
    bends = (
        abs(bend) > SURE * np.hypot(before.slope_sd, after.slope_sd) and abs(bend) > BEND * larger
    )
    reach = (sides[1].time[-1] - sides[0].time[0]) / 4
    if bends and abs(jump) < abs(bend) * reach:  # both lines meet close by
        moment += jump / bend
        before, after = (fit_side(side, moment) for side in sides)
        spacing = 2 * float(np.median(np.diff(run.time)))
        slow = STILL * largest + SURE * np.hypot(before.rate_sd, after.rate_sd) + spacing * larger
        if max(abs(before.rate), abs(after.rate)) < slow:
            return True
        return Break(moment, Kind.BEND, before, after)
    sure = abs(jump) > SURE * np.hypot(before.rate_sd, after.rate_sd)
    return Break(moment, Kind.JUMP, before, after) if sure and abs(jump) > JUMP * largest else None


def _polynomial(run: Run, moment: float, degree: int) -> tuple[Numbers, Numbers]:
    """Coefficients of powers of the time since a moment, and their covariance."""
    since = run.time - moment
    scale = max(float(np.max(np.abs(since))), 1e-300)
    powers = np.vander(since / scale, degree + 1, increasing=True)
    inverse = np.linalg.pinv(powers)
    units = scale ** -np.arange(degree + 1.0)
    covariance = run.noise**2 * (inverse @ inverse.T) * np.outer(units, units)
    return (inverse @ run.values) * units, covariance


def _misfits(run: Run, first: Counts, stop: Counts, moments: Numbers, degree: int) -> Numbers:
    """Chi-squared of parts of a run, each about a polynomial of the time since its moment.

    Args:
        run: the whole.
        first: (parts,) samples at which they start,
        stop: and before which they end.
        moments: (parts,) [s].
        degree: of the polynomials.
    """
    longest = int(np.max(stop - first))
    several = max(1, TOGETHER // longest)
    squares = [
        _squares(run, first[some], stop[some], moments[some], degree)
        for some in np.split(np.arange(len(first)), range(several, len(first), several))
    ]
    return np.concatenate(squares) / run.noise**2


def _squares(run: Run, first: Counts, stop: Counts, moments: Numbers, degree: int) -> Numbers:
    """Sums of the squares of what polynomials leave of parts of a run, all of them at once."""
    samples = first[:, None] + np.arange(np.max(stop - first))
    inside = samples < stop[:, None]
    samples = np.minimum(samples, len(run.time) - 1)
    since = np.where(inside, run.time[samples] - moments[:, None], 0.0)
    scale = np.maximum(np.max(np.abs(since), axis=1, keepdims=True), 1e-300)
    # Rows of zeros, beyond the end of a shorter part, change neither polynomial nor misfit.
    powers = (since / scale)[..., None] ** np.arange(degree + 1) * inside[..., None]
    values = np.where(inside, run.values[samples], 0.0)[..., None]
    left = values - powers @ (np.linalg.pinv(powers) @ values)
    return np.sum(left**2, axis=(1, 2))
