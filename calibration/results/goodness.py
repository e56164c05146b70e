"""Up to which misfit a model explains the data: a question of probability, and of what matters."""

import math

from scipy import stats

MISFIT_CHANCE = 0.01
"""Chance of a larger misfit by noise alone below which it is not put down to noise."""

MISFIT_TOLERANCE = 1.2
"""Chi-squared per degree of freedom that is no finding yet, however many samples make it
significant: residuals 10 % larger than the noise change no conclusion. Noise that was found from
the data is not known better than that, so there the limit of probability is as much higher.
"""

SMALL_MISFIT = 0.5
"""Chi-squared per degree of freedom from which on noise that is too large matters: intervals are
1.4 times too wide.
"""

GUESSED_MISFIT = 9.0
"""Chi-squared per degree of freedom up to which a guessed noise stands: a guess may be wrong by a
factor of three.
"""


def largest_misfit(
    dof: int,
    *,
    noise_degrees: float = math.inf,
    stated: bool = False,
    guessed: bool = False,
    chance: float = MISFIT_CHANCE,
    tolerance: float = MISFIT_TOLERANCE,
) -> float:
    """Chi-squared per degree of freedom up to which a model explains the data.

    ``tolerance F(1 - chance; dof, noise_degrees)``, with the quantile of chi-squared over its
    degrees of freedom where the size of the noise is known well. Where it was stated, the larger
    one of tolerance and quantile.

    Args:
        dof: degrees of freedom of the misfit; at least 1 is taken.
        noise_degrees: degrees of freedom with which the size of the noise is known; infinite where
            it was stated or found from many samples.
        stated: whether a person said the size of the noise.
        guessed: whether nothing tells the size of the noise.
        chance: of a larger misfit by noise alone, in (0, 1).
        tolerance: chi-squared per degree of freedom that does not matter, at least 1.
    """
    degrees = max(dof, 1)
    quantile = (
        float(stats.chi2.ppf(1 - chance, degrees)) / degrees
        if math.isinf(noise_degrees)
        else float(stats.f.ppf(1 - chance, degrees, max(noise_degrees, 1.0)))
    )
    limit = max(quantile, tolerance) if stated else tolerance * quantile
    return max(limit, GUESSED_MISFIT) if guessed else limit


def is_too_small(chi2: float, dof: int, *, chance: float = MISFIT_CHANCE) -> bool:
    """Whether chi-squared is so far below its degrees of freedom that the noise was taken too
    large: by a third at least, and by less than ``chance`` alone.
    """
    return dof >= 1 and chi2 < SMALL_MISFIT * dof and bool(stats.chi2.cdf(chi2, dof) < chance)
