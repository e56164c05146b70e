"""Whether a derivative can be trusted, and why not."""

import dataclasses

import numpy as np

from jaxcontact.derivatives.fixed_step_rule import TOO_COARSE

RESOLVED = 1e-2
"""Relative error of the differences above which they confirm nothing."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Relative disagreements of each parameter and horizon, each ``(parameters, horizons)``, and
    the verdict on them.

    Attributes:
        finite: whether forward and reverse mode are finite.
        modes_apart: between forward and reverse mode.
        differences_apart: between forward mode and differences.
        difference_error: of the differences by their own estimate.
        noise: the same error in units of the differences themselves.
        events_change: whether the number of contacts changes within the smallest steps of the
            differences.
        growth: what a change of the parameter by its own size would do to the observable, in units
            of its size.
        expected_error: of the derivative by the rule for fixed steps, or ``None``.
        from_truth: distance from the event-aligned derivative of a fixed-step simulation, or
            ``None``.
        tolerance: disagreement that is accepted.
    """

    finite: np.ndarray
    modes_apart: np.ndarray
    differences_apart: np.ndarray
    difference_error: np.ndarray
    noise: np.ndarray
    events_change: np.ndarray
    growth: np.ndarray
    expected_error: np.ndarray | None
    from_truth: np.ndarray | None
    tolerance: float

    def reasons(self, p: int, h: int) -> tuple[str, ...]:
        """Why the derivative by parameter ``p`` at horizon ``h`` is not to be trusted."""
        if not self.finite[p, h]:
            return ("forward or reverse mode is not finite.",)
        found = []
        if not self.modes_apart[p, h] <= self.tolerance:
            found.append(
                f"forward and reverse mode differ by {self.modes_apart[p, h]:.1g} of the "
                "derivative."
            )
        error, apart = self.difference_error[p, h], self.differences_apart[p, h]
        if self.events_change[p, h]:
            found.append(
                "the number of contacts before this time changes within the smallest steps: "
                "it is a corner. Choose another horizon."
            )
        elif not self.noise[p, h] <= RESOLVED:
            found.append(
                f"differences cannot resolve it (they scatter by {self.noise[p, h]:.1g} of "
                "themselves): a change of the parameter by"
                f" its own size would move the result by {self.growth[p, h]:.1g} times its "
                "size, if it went on like this."
            )
        elif not apart <= self.tolerance + error:
            found.append(
                f"forward mode and differences differ by {apart:.1g} of the derivative, "
                f"differences being good to {error:.1g}."
            )
        if self.expected_error is not None and self.expected_error[p, h] > TOO_COARSE:
            found.append(
                "the fixed step is too coarse: by the rule its relative error is "
                f"{self.expected_error[p, h]:.1g} or more."
            )
        if self.from_truth is not None and not self.from_truth[p, h] <= TOO_COARSE:
            found.append(
                f"it differs by {self.from_truth[p, h]:.1g} of the derivative from that of "
                "EventAligned()."
            )
        return tuple(found)
