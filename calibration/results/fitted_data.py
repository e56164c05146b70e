"""Measured data beside what the fit predicts for them, for figures, tables and checks."""

import dataclasses
from typing import Annotated, Protocol, TypeAlias

import numpy as np

from calibration.results.assumed_noise import AssumedNoise
from calibration.results.contact_force import ForceLoop
from calibration.results.estimate import Estimate
from calibration.results.impacts import ImpactRestitutions
from calibration.results.residual_check import ResidualCheck


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

    Example:
        >>> import numpy as np
        >>> import calibration as cal
        >>> drop = cal.results.FittedRecording(
        ...     name="drop",
        ...     axes=("z",),
        ...     time=np.array([0.0, 0.1]),
        ...     measured=np.array([[0.5], [0.45]]),
        ...     predicted=np.array([[0.5], [0.451]]),
        ...     sigma=np.full((2, 1), 1e-3),
        ...     bounce_times=np.array([0.32]),
        ...     nuisance={},
        ... )
        >>> (drop.measured - drop.predicted).round(4).ravel()
        array([ 0.   , -0.001])
    """

    name: str
    axes: tuple[str, ...]
    time: Annotated[np.ndarray, "samples"]
    measured: Annotated[np.ndarray, "samples axes"]
    predicted: Annotated[np.ndarray, "samples axes"]
    sigma: Annotated[np.ndarray, "samples axes"]
    bounce_times: Annotated[np.ndarray, "bounces"]
    nuisance: dict[str, Estimate]
    remarks: tuple[str, ...] = ()

    @property
    def counted(self) -> None:
        """``None``: all measured values took part in the fit."""


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
        contact_times: of the fitted model [s], of a measurement of one of several bodies.

    Example:
        >>> import numpy as np
        >>> import calibration as cal
        >>> clicks = cal.results.FittedSeries(
        ...     name="clicks",
        ...     labels=("time of impact [s]",),
        ...     abscissa=np.array([1.0, 2.0]),
        ...     abscissa_label="impact",
        ...     measured=np.array([[0.30], [0.81]]),
        ...     predicted=np.array([[0.30], [0.80]]),
        ...     sigma=np.full((2, 1), 1e-3),
        ...     nuisance={},
        ... )
        >>> clicks.labels
        ('time of impact [s]',)
    """

    name: str
    labels: tuple[str, ...]
    abscissa: Annotated[np.ndarray, "rows"]
    abscissa_label: str
    measured: Annotated[np.ndarray, "rows quantities"]
    predicted: Annotated[np.ndarray, "rows quantities"]
    sigma: Annotated[np.ndarray, "rows quantities"]
    nuisance: dict[str, Estimate]
    remarks: tuple[str, ...] = ()
    contact_times: Annotated[np.ndarray, "contacts"] = dataclasses.field(
        default_factory=lambda: np.zeros(0)
    )

    @property
    def counted(self) -> None:
        """``None``: all measured values took part in the fit."""


@dataclasses.dataclass(frozen=True)
class FittedColumn:
    """One measured quantity of an impact table and its prediction.

    Attributes:
        name: e.g. ``"rebound_angle"``; label with unit for axes, e.g. ``"rebound angle [deg]"``.
        angle: (n,) impact angle from the normal [deg].
        measured, predicted, sigma: (n,).
        counted: (n,) whether the value took part in the fit.
        curve_angle, curve: the model on a fine grid of angles, NaN between the curves of
            different speeds; empty where impacts of one angle differ in speed or spin.
        alone: estimates of the parameters from this column alone, where it determines them, by name
            (the misfit between columns).
        chi2: of the values of this column that took part.

    Example:
        >>> import numpy as np
        >>> import calibration as cal
        >>> column = cal.results.FittedColumn(
        ...     name="rebound_angle",
        ...     label="rebound angle [deg]",
        ...     angle=np.array([20.0, 40.0]),
        ...     measured=np.array([15.0, 33.0]),
        ...     predicted=np.array([15.5, 32.0]),
        ...     sigma=np.array([0.5, 0.5]),
        ...     curve_angle=np.array([20.0, 40.0]),
        ...     curve=np.array([15.5, 32.0]),
        ...     alone={},
        ...     chi2=5.0,
        ... )
        >>> column.label
        'rebound angle [deg]'
    """

    name: str
    label: str
    angle: Annotated[np.ndarray, "impacts"]
    measured: Annotated[np.ndarray, "impacts"]
    predicted: Annotated[np.ndarray, "impacts"]
    sigma: Annotated[np.ndarray, "impacts"]
    curve_angle: Annotated[np.ndarray, "angles"]
    curve: Annotated[np.ndarray, "angles"]
    alone: dict[str, Estimate]
    chi2: float
    counted: Annotated[np.ndarray, "impacts"] | None = None


Fitted: TypeAlias = FittedRecording | FittedSeries | FittedColumn
"""Anything measured beside what the fit predicts for it."""


class Predictions(Protocol):
    """Data and prediction of every trial, which may be computed at the first look."""

    @property
    def recordings(self) -> tuple[FittedRecording, ...]:
        """Of each recording of positions."""

    @property
    def series(self) -> tuple[FittedSeries, ...]:
        """Of each other measurement."""

    @property
    def residual_checks(self) -> tuple[ResidualCheck, ...]:
        """Of all residuals together."""

    @property
    def impacts(self) -> ImpactRestitutions | None:
        """Restitution of single impacts; ``None`` where none was measured."""

    @property
    def noise(self) -> tuple[AssumedNoise, ...]:
        """Of each measured quantity."""

    @property
    def force_loops(self) -> tuple[ForceLoop, ...]:
        """Of the slowest and the fastest impact; empty where no compliant law was fitted."""


@dataclasses.dataclass(frozen=True)
class StoredPredictions:
    """Predictions that are known already.

    Attributes:
        recordings: of each recording of positions.
        series: of each other measurement.
        residual_checks: of all residuals together.
        impacts: restitution of single impacts.
        noise: of each measured quantity.
        force_loops: of the slowest and the fastest impact of a compliant law.

    Example:
        >>> import calibration as cal
        >>> fit = cal.Fit(parameters={}, predictions=cal.results.StoredPredictions())
        >>> fit.recordings
        ()
    """

    recordings: tuple[FittedRecording, ...] = ()
    series: tuple[FittedSeries, ...] = ()
    residual_checks: tuple[ResidualCheck, ...] = ()
    impacts: ImpactRestitutions | None = None
    noise: tuple[AssumedNoise, ...] = ()
    force_loops: tuple[ForceLoop, ...] = ()
