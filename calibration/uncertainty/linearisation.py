"""Where a problem is looked at: the minimum of a fit, or the first guess before one."""

import dataclasses

import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.fitting.policy import DEFAULT_POLICY, FitPolicy
from calibration.fitting.start import starting_point
from calibration.model.parameter import Parameter
from calibration.optimise.coordinates import Start
from calibration.optimise.normal_equations import SharedInformation
from calibration.problem.problem import Problem
from calibration.problem.residuals import Block, Layout, jacobians
from calibration.results.result import Fit
from calibration.results.simulated_trial import check_simulated
from jaxcontact.parameters import nearest


def natural_slope(parameter: Parameter, value: float) -> tuple[float, bool]:
    """Change of the natural coordinate per change of the optimiser's, and whether it is the
    logarithm of the value.
    """
    logarithmic = parameter.about.transform != "identity" and value > 0
    slope = parameter.slope(value)
    return (slope / value if logarithmic else slope), logarithmic


@dataclasses.dataclass(frozen=True)
class WorkingPoint:
    """A problem at given values of its parameters.

    Attributes:
        problem: the problem.
        start: coordinates, shared (S,) and of the trials of each batch (R, L), and which of them
            are frozen.
        error_scale_factor: factor by which the standard error of each free shared coordinate
            exceeds the formal one (S,), 1 before a fit.
        assessment: of the minimum of a fit, else ``None``.
        policy: thresholds by which what follows is judged.
    """

    problem: Problem
    start: Start
    error_scale_factor: np.ndarray
    assessment: Assessment | None = None
    policy: FitPolicy = DEFAULT_POLICY

    @property
    def fitted(self) -> bool:
        """Whether this is the minimum of a fit."""
        return self.assessment is not None

    @property
    def layout(self) -> Layout:
        """Structure of the problem."""
        return self.problem.layout

    @property
    def scene(self) -> jc.Scene:
        """The scene of the problem."""
        return self.problem.scene

    @property
    def free(self) -> np.ndarray:
        """Indices of the shared coordinates that are free."""
        return np.flatnonzero(self.start.free)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Shared parameters that are free."""
        return tuple(self.layout.global_parameters[index] for index in self.free)

    @property
    def coordinates(self) -> np.ndarray:
        """Coordinates of the free shared parameters."""
        return np.asarray(self.start.shared)[self.free]

    @property
    def values(self) -> np.ndarray:
        """Values of the free shared parameters."""
        return np.asarray(
            [
                float(parameter.value(here))
                for parameter, here in zip(self.parameters, self.coordinates, strict=True)
            ]
        )

    @property
    def natural_slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each free shared unknown, as ``natural_slope``: two arrays (S,)."""
        pairs = [
            natural_slope(parameter, value)
            for parameter, value in zip(self.parameters, self.values, strict=True)
        ]
        return np.asarray([slope for slope, _ in pairs]), np.asarray(
            [logarithmic for _, logarithmic in pairs], dtype=bool
        )

    def information(self) -> SharedInformation:
        """What the data and what is known beforehand say of the free shared coordinates, allowing
        for misfit, (S, S).
        """
        return SharedInformation.of(self.blocks()).scaled(1 / self.error_scale_factor)

    def index(self, name: str, *, argument: str) -> int:
        """Position of a free shared unknown; raises ``InputError`` that names the ``argument``
        where there is none.
        """
        names = [parameter.name for parameter in self.parameters]
        if name not in names:
            raise InputError(
                f"{argument}: {name!r} is not a free parameter of the "
                f"problem.{nearest(name, names)}"
            )
        return names.index(name)

    def blocks(
        self,
        shared: np.ndarray | None = None,
        local: tuple[np.ndarray, ...] | None = None,
        *,
        priors: bool = True,
    ) -> tuple[Block, ...]:
        """Residuals and derivatives by the free parameters, here or at other coordinates;
        ``priors``: with what is known beforehand.

        At the minimum of a fit, robust losses are replaced by their influence.
        """
        if self.assessment is not None and shared is None and local is None:
            working = self.assessment.linearised.working
            return tuple(working) if priors else tuple(working[: len(self.layout.batches)])
        start = self.start
        found = jacobians(
            self.layout,
            self.scene,
            start.shared if shared is None else shared,
            start.local if local is None else local,
            self.problem.data,
        )
        return start.free_blocks(found if priors else found[: len(self.layout.batches)])


def working_point(
    given: Problem | Fit, *, argument: str, policy: FitPolicy = DEFAULT_POLICY
) -> WorkingPoint:
    """The working point of a problem before, or of a fit after fitting.

    Args:
        given: the problem, or the fit, which keeps its own policy.
        argument: what an error names first.
        policy: thresholds by which a problem is judged.

    Raises:
        InputError: neither a problem nor a fit that kept its problem; a fit of which a simulation
            did not succeed.
    """
    if isinstance(given, Problem):
        start = starting_point(given, {})
        return WorkingPoint(given, start, np.ones(int(np.sum(start.free))), policy=policy)
    if (
        isinstance(given, Fit)
        and given.assessment is not None
        and isinstance(given.problem, Problem)
    ):
        check_simulated(given.simulations, caller=argument)
        assessment: Assessment = given.assessment
        formal, believed = np.diag(assessment.formal.shared), np.diag(assessment.covariance)
        seen = ~assessment.formal.open_shared & (formal > 0) & (believed > 0)
        ratio = np.where(seen, believed, 1.0) / np.where(seen, formal, 1.0)
        return WorkingPoint(
            given.problem,
            assessment.start.from_minimum(assessment.minimum),
            np.sqrt(ratio),
            assessment,
            assessment.policy,
        )
    raise InputError(
        f"{argument}: {type(given).__name__} is neither a Problem nor the result of fit(problem)."
    )
