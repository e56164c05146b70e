"""What a fit found: values with uncertainties, what the data leave open, and how well the model
explains them.
"""

import dataclasses
import enum
import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import jax
import numpy as np
from scipy import stats

from calibration.errors import InputError
from calibration.model.parameter import Parameter

Item = TypeVar("Item")


class OnDemand(Sequence[Item]):
    """What ``compute()`` returns, computed once, at the first look: the curves of a fit cost a
    compilation that many fits never need.

    Args:
        compute: returns the items.
    """

    def __init__(self, compute: Callable[[], Sequence[Item]]) -> None:
        self._compute = compute
        self._items: tuple[Item, ...] | None = None

    @property
    def items(self) -> tuple[Item, ...]:
        """All of them."""
        if self._items is None:
            self._items = tuple(self._compute())
        return self._items

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return repr(self.items)

    def __reduce__(self) -> tuple[Any, ...]:
        return (tuple, (self.items,))


MISFIT = 2.0
"""From this chi2/dof on, a model is said not to explain the data (the noise is often only
estimated, from the data themselves).
"""


def explains(chi2_per_dof: float, dof: int) -> bool:
    """Whether residuals of this size can be noise; a few data may exceed ``MISFIT`` by chance."""
    return bool(chi2_per_dof <= max(MISFIT, 1 + 3 * np.sqrt(2 / max(dof, 1))))


class Determination(enum.StrEnum):
    """What the data say of a parameter."""

    DETERMINED = "determined"
    NOT_DETERMINED = "not determined by these data"
    AT_BOUND = "at a bound"
    AT_START = "never moved"
    FIXED = "fixed"


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

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Ends of the interval that covers the truth with probability ``level``, from the standard
        error.

        ``x +- t sd`` with Student's quantile t for the degrees of freedom, in the coordinate of the
        unknown: the ends stay inside the interval of the parameter. ``(-inf, inf)`` for what is not
        determined or at a bound, where a standard error says nothing.

        Args:
            level: in (0, 1).

        Raises:
            InputError: ``level`` outside (0, 1).
        """
        if not 0 < level < 1:
            raise InputError(
                f"interval: level = {level!r} is outside (0, 1)", remedy="Give for example 0.95."
            )
        if not math.isfinite(self.sd) or self.status in (
            Determination.NOT_DETERMINED,
            Determination.AT_BOUND,
        ):
            return -math.inf, math.inf
        reach = float(stats.t.ppf((1 + level) / 2, self.degrees))
        if self.curve is None or self.curve.parameter.about.transform == "identity":
            return self.value - reach * self.sd, self.value + reach * self.sd
        with jax.enable_x64(True):
            low, high = (
                float(self.curve.parameter.value(self.curve.value + side * reach * self.curve.sd))
                for side in (-1, 1)
            )
        return low, high


@dataclasses.dataclass(frozen=True)
class FittedRecording:
    """Data and prediction of one recording, in recorded units [m], for figures and residual checks.

    Attributes:
        name: of the recording.
        axes: names of the measured axes, e.g. ``("x", "z")``.
        time: (n,) of the used samples [s].
        measured, predicted, sigma: (n, axes); NaN in ``measured`` where a sample is missing or was
            set aside as an outlier.
        bounce_times: of the fitted model.
        nuisance: values of the nuisance quantities of this recording, by name.
        remarks: what the automatic reading noticed.
    """

    name: str
    axes: tuple[str, ...]
    time: np.ndarray
    measured: np.ndarray
    predicted: np.ndarray
    sigma: np.ndarray
    bounce_times: np.ndarray
    nuisance: dict[str, Estimate]
    remarks: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class FittedSeries:
    """Data and prediction of one observation that is not of positions: times of impacts, a force,
    an angle.

    Attributes:
        name: of the trial, and of the measurement where the trial has several.
        labels: of the measured quantities, with their units.
        abscissa: (n,) time [s] or number of the impact; ``abscissa_label`` says which.
        measured, predicted, sigma: (n, quantities); NaN in ``measured`` where nothing was measured
            or used.
        nuisance: values of the nuisance quantities of this trial, by name; empty beside another
            observation that has them.
        remarks: what the automatic reading noticed.
    """

    name: str
    labels: tuple[str, ...]
    abscissa: np.ndarray
    abscissa_label: str
    measured: np.ndarray
    predicted: np.ndarray
    sigma: np.ndarray
    nuisance: dict[str, Estimate]
    remarks: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class FittedColumn:
    """One measured quantity of an impact table and its prediction.

    Attributes:
        name: e.g. ``"rebound_angle"``; label with unit for axes, e.g. ``"rebound angle [deg]"``.
        angle: (n,) impact angle from the normal [deg].
        measured, predicted, sigma: (n,).
        counted: (n,) whether the value took part in the fit.
        curve_angle, curve: the model on a fine grid of angles.
        alone: estimates of the parameters from this column alone, where it determines them, by name
            (the misfit between columns).
        chi2: of the values of this column that took part.
    """

    name: str
    label: str
    angle: np.ndarray
    measured: np.ndarray
    predicted: np.ndarray
    sigma: np.ndarray
    curve_angle: np.ndarray
    curve: np.ndarray
    alone: dict[str, Estimate]
    chi2: float
    counted: np.ndarray | None = None


@dataclasses.dataclass(frozen=True)
class Fit:
    """Result of a fit.

    Attributes:
        parameters: quantities shared by all recordings: material constants first, then shared
            nuisances such as the length scale.
        names: order of ``correlation``.
        correlation: (k, k) of the determined shared quantities.
        chi2: weighted sum of squares; ``dof`` degrees of freedom.
        error_scale_factor: factor by which the standard errors exceed the formal ones, for misfit and
            correlated residuals.
        converged: whether the optimiser met its tolerance; ``iterations`` it took; ``seconds`` of
            wall time.
        method: name of the optimiser.
        model: one sentence that says which physics was fitted.
        warnings: plain sentences, most important first.
        recordings: data and prediction of each recording, computed at the first look.
        columns: data and prediction of an impact table.
        series: data and prediction of other observations.
        problem: what was fitted, with the weights that were used in the end; what profiles,
            samplers and designs go on from.
        assessment: the minimum with its residuals, Jacobian and covariance.
    """

    parameters: dict[str, Estimate]
    names: tuple[str, ...]
    correlation: np.ndarray
    chi2: float
    dof: int
    error_scale_factor: float
    converged: bool
    iterations: int
    seconds: float
    method: str
    model: str
    warnings: tuple[str, ...]
    recordings: Sequence[FittedRecording] = ()
    columns: tuple[FittedColumn, ...] = ()
    series: Sequence[FittedSeries] = ()
    problem: Any = dataclasses.field(default=None, repr=False, compare=False)
    assessment: Any = dataclasses.field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        """The table a person reads."""
        from calibration.results.table import fit_text

        return fit_text(self)

    def report(self, path: str | os.PathLike[str], *, title: str = "Fit") -> None:
        """Write one page for a browser: table, figure, warnings (``calibration.report.page``)."""
        from calibration.report.figures import fit_figure, png
        from calibration.report.page import write_page

        drawn = png(fit_figure(self)) if self.recordings or self.columns or self.series else None
        write_page(self, path, figure=drawn, title=title)

    @property
    def chi2_per_dof(self) -> float:
        """Chi-squared per degree of freedom; 1 when the model explains the data to their noise."""
        return self.chi2 / max(self.dof, 1)

    @property
    def explained(self) -> bool:
        """Whether the model explains the data to their noise."""
        return explains(self.chi2_per_dof, self.dof)
