"""An estimated quantity: its value, its uncertainty, and what the data say of it."""

import dataclasses
import enum
import math
from typing import NamedTuple

import jax

from calibration.model.parameter import Parameter
from calibration.results.intervals import (
    UNBOUNDED,
    check_level,
    outermost_crossings,
    student_reach,
)


class Determination(enum.StrEnum):
    """What the data say of a parameter.

    Where the whole fit is in doubt, no parameter is determined: ``NOT_SIMULATED`` where a
    simulation at the minimum did not succeed, ``NOT_CONVERGED`` where the search did not end,
    ``NOT_EXPLAINED`` where the model leaves more of the data than their noise, ``IMPLAUSIBLE``
    where the result contradicts what is known of such experiments. Then there is no standard error.

    Example:
        >>> import calibration as cal
        >>> cal.Determination.AT_BOUND.value
        'at a bound'
    """

    DETERMINED = "determined"
    NOT_DETERMINED = "not determined by these data"
    AT_BOUND = "at a bound"
    AT_START = "never moved"
    NOT_SIMULATED = "not to be trusted"
    NOT_CONVERGED = "not converged"
    NOT_EXPLAINED = "not explained"
    IMPLAUSIBLE = "implausible"
    FIXED = "fixed"

    @property
    def withdrawn(self) -> bool:
        """Whether a doubt about the whole fit took the standard error away."""
        return self in (
            Determination.NOT_SIMULATED,
            Determination.NOT_CONVERGED,
            Determination.NOT_EXPLAINED,
            Determination.IMPLAUSIBLE,
        )


class Coordinate(NamedTuple):
    """An estimate in the coordinate of its unknown, where its error is most nearly normal: a
    logarithm, a logistic coordinate.
    """

    parameter: Parameter
    value: float
    sd: float


@dataclasses.dataclass(frozen=True)
class Estimate:
    """One quantity of the fit.

    Attributes:
        name: path in the scene, e.g. ``"contact.normal.restitution"``, or name of a nuisance
            quantity, e.g. ``"length_scale"``.
        label: the field's term, e.g. ``"restitution"``.
        symbol: e.g. ``"e"``.
        unit: SI unit, ``"-"`` for none.
        value: best value; NaN when the data do not determine it and the model does not need one.
        sd: standard error, infinite when not determined, 0 when fixed.
        start: where the fit began.
        status: what the data say of it.
        note: one plain sentence more, or empty: a one-sided limit, what it is confounded with.
        degrees: degrees of freedom of ``sd``; infinite where the noise is known, few where it was
            found from few residuals or trials.
        curve: the estimate in the coordinate of its unknown, where there is one.
        profile: pairs of a value, in increasing order, and the root of the rise of chi-squared
            there in standard errors, where the likelihood has several branches; else empty.

    Example:
        >>> import calibration as cal
        >>> restitution = cal.Estimate(
        ...     name="contact.normal.restitution",
        ...     label="restitution",
        ...     symbol="e",
        ...     unit="-",
        ...     value=0.905,
        ...     sd=0.006,
        ...     start=0.8,
        ...     status=cal.Determination.DETERMINED,
        ... )
        >>> low, high = restitution.interval(0.95)
        >>> f"{low:.3f} to {high:.3f}"
        '0.893 to 0.917'
    """

    name: str
    label: str
    symbol: str
    unit: str
    value: float
    sd: float
    start: float
    status: Determination
    note: str = ""
    degrees: float = math.inf
    curve: Coordinate | None = dataclasses.field(default=None, repr=False, compare=False)
    profile: tuple[tuple[float, float], ...] = dataclasses.field(
        default=(), repr=False, compare=False
    )

    def withdrawn(self, status: Determination) -> "Estimate":
        """The same without a standard error, because the whole fit is in doubt; what the data do
        not determine anyway stays as it is.

        Args:
            status: the doubt.
        """
        kept = (Determination.FIXED, Determination.NOT_DETERMINED)
        if self.status in kept and status is not Determination.NOT_SIMULATED:
            return self
        return dataclasses.replace(self, sd=math.inf, status=status, note="")

    @property
    def vanished(self) -> bool:
        """Whether it is a positive quantity that fell to where it acts no more. Its value is then a
        number without a meaning, next to 0.
        """
        unseen = self.status is Determination.AT_BOUND and not math.isfinite(self.sd)
        # Between two finite ends there is an upper one, too.
        return unseen and self.curve is not None and self.curve.parameter.about.transform == "log"

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Ends of the interval that covers the truth with probability ``level``, from the standard
        error.

        ``x +- t sd`` with Student's quantile t for the degrees of freedom, in the coordinate of the
        unknown: the ends stay inside the interval of the parameter. Where there is a ``profile``,
        the outermost values at which it is below t. ``(-inf, inf)`` for what is not determined or
        at a bound, where a standard error says nothing.

        Args:
            level: in (0, 1).

        Raises:
            InputError: ``level`` outside (0, 1).
        """
        check_level(level, caller="interval")
        open_ = self.status in (Determination.NOT_DETERMINED, Determination.AT_BOUND)
        if open_ or self.status.withdrawn or not math.isfinite(self.sd):
            return UNBOUNDED
        reach = student_reach(level, self.degrees)
        if self.profile:
            return outermost_crossings(self.profile, reach)
        if self.curve is None or self.curve.parameter.about.transform == "identity":
            return self.value - reach * self.sd, self.value + reach * self.sd
        with jax.enable_x64(True):
            low, high = (
                float(self.curve.parameter.value(self.curve.value + side * reach * self.curve.sd))
                for side in (-1, 1)
            )
        return low, high
