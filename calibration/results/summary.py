"""What a fit tells, as values: all that tables, figures, pages and files of a fit are made from."""

import dataclasses
import math
from collections.abc import Callable
from typing import Annotated

import numpy as np

from calibration.results.assumed_noise import AssumedNoise
from calibration.results.contact_force import ForceLoop
from calibration.results.encoding import spell_all
from calibration.results.estimate import Determination, Estimate
from calibration.results.fitted_data import (
    FittedColumn,
    FittedRecording,
    FittedSeries,
    Predictions,
    StoredPredictions,
)
from calibration.results.goodness import largest_misfit
from calibration.results.impacts import ImpactRestitutions
from calibration.results.modification import TriedModification
from calibration.results.outlying import OutlyingTrial
from calibration.results.residual_check import ResidualCheck
from calibration.results.simulated_trial import SimulatedTrial


@dataclasses.dataclass(frozen=True)
class FitSummary:
    """The findings of a fit without the means to go on from it: no problem, no scene, no Jacobian.

    Whatever prints or draws a fit takes this class, so printing knows nothing of fitting.

    Attributes:
        parameters: quantities shared by all recordings: material constants first, then shared
            nuisances such as the length scale.
        names: order of ``correlation``.
        correlation: (k, k) of the determined shared quantities.
        chi2: weighted sum of squares; ``dof`` degrees of freedom.
        explained_up_to: chi-squared per degree of freedom up to which the model explains the data;
            by default for noise of known size.
        error_scale_factor: factor by which the standard errors exceed the formal ones, for misfit
            and correlated residuals.
        converged: whether the optimiser met its tolerance; ``iterations`` it took; ``seconds`` of
            wall time.
        plausible: whether nothing contradicts what is known of such experiments so much that the
            result means nothing (a wrong frame rate, an axis that points down).
        method: name of the optimiser.
        model: one sentence that says which physics was fitted.
        sources: where the laws of the model were published, one line each.
        warnings: plain sentences, most important first.
        columns: data and prediction of an impact table.
        predictions: data and prediction of the recordings and of all other measurements.
        simulations: how the simulation of each trial ended at the minimum.
        modifications: what the model may lack and was looked for.
        outlying: trials that move the result more than the others allow, the worst first.

    Example:
        >>> import calibration as cal
        >>> summary = cal.results.FitSummary(parameters={}, chi2=12.0, dof=10)
        >>> summary.chi2_per_dof
        1.2
        >>> summary.explained
        True
    """

    parameters: dict[str, Estimate]
    names: tuple[str, ...] = ()
    correlation: Annotated[np.ndarray, "names names"] = dataclasses.field(
        default_factory=lambda: np.zeros((0, 0))
    )
    chi2: float = math.nan
    dof: int = 0
    explained_up_to: float | None = None
    error_scale_factor: float = 1.0
    converged: bool = True
    iterations: int = 0
    seconds: float = 0.0
    plausible: bool = True
    method: str = ""
    model: str = ""
    sources: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    columns: tuple[FittedColumn, ...] = ()
    predictions: Predictions = dataclasses.field(
        default=StoredPredictions(), repr=False, compare=False
    )
    simulations: tuple[SimulatedTrial, ...] = dataclasses.field(default=(), repr=False)
    modifications: tuple[TriedModification, ...] = dataclasses.field(default=(), repr=False)
    outlying: tuple[OutlyingTrial, ...] = dataclasses.field(default=(), repr=False)

    @property
    def simulated(self) -> bool:
        """Whether every simulation at the minimum succeeded; else no number of the fit is to be
        used.
        """
        return all(trial.succeeded for trial in self.simulations)

    @property
    def recordings(self) -> tuple[FittedRecording, ...]:
        """Data and prediction of each recording."""
        return self.predictions.recordings

    @property
    def series(self) -> tuple[FittedSeries, ...]:
        """Data and prediction of each measurement that is not of positions."""
        return self.predictions.series

    @property
    def residual_checks(self) -> tuple[ResidualCheck, ...]:
        """Checks of the order, autocorrelation, normality and variance of the residuals, and of
        single recordings. Where model and noise are right, any fails in at most 5 % of fits.
        """
        return self.predictions.residual_checks

    @property
    def impacts(self) -> ImpactRestitutions | None:
        """Restitution of single impacts as the data show it; ``None`` where they show none."""
        return self.predictions.impacts

    @property
    def noise(self) -> tuple[AssumedNoise, ...]:
        """What was assumed of the errors of each measured quantity."""
        return self.predictions.noise

    @property
    def force_loops(self) -> tuple[ForceLoop, ...]:
        """Force against overlap of the slowest and the fastest impact of a compliant law."""
        return self.predictions.force_loops

    @property
    def chi2_per_dof(self) -> float:
        """Chi-squared per degree of freedom; 1 when the model explains the data to their noise."""
        return self.chi2 / max(self.dof, 1)

    @property
    def explained(self) -> bool:
        """Whether the model explains the data to their noise; not where it was not followed."""
        limit = self.explained_up_to
        limit = largest_misfit(self.dof) if limit is None else limit
        return bool(self.simulated and self.chi2_per_dof <= limit)

    @property
    def doubt(self) -> Determination | None:
        """The worst reason why no parameter of this fit is determined, whatever its curvature says.
        ``None`` where there is none.
        """
        if not self.simulated:
            return Determination.NOT_SIMULATED
        if not self.plausible:
            return Determination.IMPLAUSIBLE
        if not self.converged:
            return Determination.NOT_CONVERGED
        return None if self.explained else Determination.NOT_EXPLAINED


def spell_summary(
    fit: FitSummary, *, has: Callable[[str], bool], checked: bool = False
) -> FitSummary:
    """The summary with every letter for which ``has`` is false written out.

    Args:
        fit: the result.
        has: whether a letter can be shown, for example ``can_encode("ascii")``.
        checked: whether the checks of the residuals are wanted, too.
    """
    values = {field.name: getattr(fit, field.name) for field in dataclasses.fields(FitSummary)}
    checks = fit.residual_checks if checked else ()
    values["predictions"] = StoredPredictions(fit.recordings, fit.series, checks, noise=fit.noise)
    spelled: FitSummary = spell_all(FitSummary(**values), has=has)
    return spelled
