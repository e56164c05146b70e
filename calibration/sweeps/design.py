"""Designs: which combinations of the factors are simulated."""

import dataclasses
import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.sweeps.factors import Factor

GRID, LATIN_HYPERCUBE, SOBOL = "grid", "latin hypercube", "sobol"
DESIGNS = (GRID, LATIN_HYPERCUBE, SOBOL)


@dataclasses.dataclass(frozen=True)
class Design:
    """Which combinations of the factors a sweep simulates.

    ``"grid"``: every level of each factor with every level of the others (full factorial).
    ``"latin hypercube"``: each factor's range in as many strata as there are variants, one variant
    in each (McKay, Beckman and Conover 1979). ``"sobol"``: Sobol's sequence, scrambled (Owen 1998),
    which fills the space most evenly for a power of two.

    Args:
        kind: one of these.
        number: of variants; a grid has its own.
        seed: another number, another design; a grid has none.

    Raises:
        InputError: another kind, no number where one is needed or one where it is not.

    Example:
        >>> factors = [cal.sweeps.Range("b", 0.0, 1.0, levels=2), cal.sweeps.Levels("a", (1, 2))]
        >>> cal.sweeps.Design("grid").table(factors).tolist()
        [[1.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 1.0]]
        >>> cal.sweeps.Design("sobol", number=128).table(factors).shape
        (128, 2)
    """

    kind: str = GRID
    number: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in DESIGNS:
            raise InputError(
                f"sweep: there is no design {self.kind!r}",
                remedy=f"Give one of {', '.join(map(repr, DESIGNS))}.",
            )
        if self.kind == GRID and self.number is not None:
            raise InputError(
                f"sweep: a grid has no number = {self.number!r}; it has that of its levels",
                remedy="Give the levels of each parameter, or another design.",
            )
        if self.kind != GRID and not (isinstance(self.number, int) and self.number >= 1):
            raise InputError(
                f"sweep: number = {self.number!r} of variants of a {self.kind} design",
                remedy="Give a whole number from 1 on.",
            )

    def table(self, factors: Sequence[Factor]) -> NDArray[np.float64]:
        """The values (variants, factors) of the factors in the order of their names: the order in
        which they are given changes nothing.

        Raises:
            InputError: no factors, or two of one name.
        """
        ordered = in_order(factors)
        if self.kind == GRID:
            levels = np.meshgrid(*(factor.grid() for factor in ordered), indexing="ij")
            return np.stack([level.ravel() for level in levels], axis=1)
        fractions = self._fractions(len(ordered))
        columns = [factor.at(column) for factor, column in zip(ordered, fractions.T, strict=True)]
        return np.stack(columns, axis=1)

    def _fractions(self, factors: int) -> NDArray[np.float64]:
        """Points (variants, factors) of the unit cube."""
        from scipy.stats import qmc  # slow to import, for which help texts do not wait

        assert self.number is not None
        generator = np.random.default_rng(self.seed)
        if self.kind == LATIN_HYPERCUBE:
            return qmc.LatinHypercube(factors, rng=generator).random(self.number)
        power = math.ceil(math.log2(self.number))
        return qmc.Sobol(factors, rng=generator).random_base2(power)[: self.number]


def in_order(factors: Sequence[Factor]) -> list[Factor]:
    """The factors by their names.

    Raises:
        InputError: none, or two of one name.
    """
    names = sorted(factor.name for factor in factors)
    twice = {name for name, following in itertools.pairwise(names) if name == following}
    if not names or twice:
        raise InputError(
            f"sweep: {', '.join(sorted(twice))} is varied twice" if twice else "nothing is varied",
            remedy="Name each parameter that is to be varied once.",
        )
    return sorted(factors, key=lambda factor: factor.name)
