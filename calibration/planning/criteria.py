"""What makes a covariance small: the A-, c- and D-criteria of optimal design, as a standard error
in natural coordinates.
"""

import dataclasses
from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from calibration.errors import InputError

CRITERIA = {
    "A": "the root mean square of the standard errors",
    "c": "the standard error of the combination",
    "D": "the volume of the confidence ellipsoid",
}


@dataclasses.dataclass(frozen=True)
class Criterion:
    """A criterion on the parameters of interest (Atkinson, Donev and Tobias 2007; Chaloner and
    Verdinelli 1995).

    Attributes:
        kind: ``"A"``, ``"c"`` or ``"D"``.
        places: of the parameters of interest among the free shared ones.
        weights: of the combination for ``"c"``, one for each.
    """

    kind: str
    places: tuple[int, ...]
    weights: tuple[float, ...]

    def evaluate(self, covariance: ArrayLike) -> jax.Array:
        """``sqrt(tr C/n)``, ``sqrt(c' C c)`` or ``det(C)^(1/2n)`` of the covariance (S, S) in
        natural coordinates.
        """
        picked = np.asarray(self.places)
        block = jnp.asarray(covariance)[picked[:, None], picked[None, :]]
        if self.kind == "A":
            return jnp.sqrt(jnp.trace(block) / len(self.places))
        if self.kind == "c":
            weights = jnp.asarray(self.weights)
            return jnp.sqrt(weights @ block @ weights)
        _, logarithm = jnp.linalg.slogdet(block)
        return jnp.exp(logarithm / (2 * len(self.places)))


def make_criterion(
    kind: str,
    names: tuple[str, ...],
    places: tuple[int, ...],
    combination: Mapping[str, float] | None,
) -> Criterion:
    """The criterion that a person asked for.

    Raises:
        InputError: another letter, a combination without ``"c"``, ``"c"`` for several parameters
            without a combination.
    """
    if kind not in CRITERIA:
        raise InputError(
            f"design: criterion = {kind!r} is not known.",
            remedy=f"Use {', '.join(map(repr, CRITERIA))}.",
        )
    if kind != "c":
        if combination is not None:
            raise InputError("design: combination goes with criterion='c'.")
        return Criterion(kind, places, (1.0,) * len(places))
    if combination is None and len(places) > 1:
        raise InputError(
            "design: criterion 'c' is of one combination of the parameters.",
            remedy="Give combination={name: exponent, ...}, or one name.",
        )
    given = {names[0]: 1.0} if combination is None else dict(combination)
    if set(given) - set(names):
        raise InputError(
            f"design: the combination names {sorted(set(given) - set(names))}, which are not "
            "of interest."
        )
    return Criterion(kind, places, tuple(float(given.get(name, 0.0)) for name in names))
