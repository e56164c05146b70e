"""What ``check_gradients`` found, as arrays and as a table."""

import dataclasses
from typing import Annotated

import numpy as np

from jaxcontact.sensitivity.fixed_step_reference import TOO_COARSE
from jaxcontact.sensitivity.non_finite import NonFinite

RESOLVED = 1e-2
"""Relative error of the differences above which they confirm nothing."""


@dataclasses.dataclass(frozen=True)
class GradientVerdict:
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


@dataclasses.dataclass(frozen=True, eq=False)
class GradientReport:
    """Derivatives of a simulation in forward mode, in reverse mode and by differences, and whether
    they can be trusted.

    Attributes:
        method: of ``simulate``, as text.
        parameters: names, e.g. ``"contact.normal.restitution"`` or ``"initial.position[2]"``.
        units: SI unit of each.
        values: of the parameters, ``(parameters,)``.
        horizons: times at which the observable is taken [s], ``(horizons,)``.
        contacts: number of contacts that began before each horizon, ``(horizons,)``; -1 where the
            method does not tell.
        forward: derivative in forward mode, ``(parameters, horizons, numbers)``; an observable with
            several axes is made flat.
        reverse: in reverse mode, same shape.
        difference: by differences of the same simulation, same shape.
        difference_error: estimate of the error of the differences, ``(parameters, horizons)``.
        difference_step: the step they took, in units of the parameter, ``(parameters, horizons)``.
        size: of the derivative, the largest of its numbers, to which all relative figures refer,
            ``(parameters, horizons)``.
        zero: whether the derivative is too small to matter, and counts as zero, ``(parameters,
            horizons)``.
        confirmed_to: relative level to which differences confirm the forward mode, their own error
            included, ``(parameters, horizons)``.
        fixed_step_error: relative error of the derivative that the rule for fixed steps expects,
            ``(parameters, horizons)``; ``None`` for other methods.
        tolerance: relative disagreement that is accepted beyond the error of the differences.
        trusted: verdict, ``(parameters, horizons)``.
        reasons: why not, in words, for each parameter and horizon; empty where trusted.
        first_non_finite: where the first derivative that is NaN or infinite arises, or ``None``.
        warnings: what concerns the simulation as a whole, in words.

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        ... )
        >>> report = jc.check_gradients(
        ...     scene,
        ...     jc.state(position=(0.0, 0.0, 0.3)),
        ...     jnp.linspace(0.0, 0.4, 3),
        ...     method=jc.Impulse(max_contacts=2),
        ...     of=["contact.normal.restitution"],
        ... )
        >>> report.parameters, report.units
        (('contact.normal.restitution',), ('-',))
        >>> report.forward.shape
        (1, 4, 3)
    """

    method: str
    parameters: tuple[str, ...]
    units: tuple[str, ...]
    values: Annotated[np.ndarray, "parameters"]
    horizons: Annotated[np.ndarray, "horizons"]
    contacts: Annotated[np.ndarray, "horizons"]
    forward: Annotated[np.ndarray, "parameters horizons numbers"]
    reverse: Annotated[np.ndarray, "parameters horizons numbers"]
    difference: Annotated[np.ndarray, "parameters horizons numbers"]
    difference_error: Annotated[np.ndarray, "parameters horizons"]
    difference_step: Annotated[np.ndarray, "parameters horizons"]
    size: Annotated[np.ndarray, "parameters horizons"]
    zero: Annotated[np.ndarray, "parameters horizons"]
    confirmed_to: Annotated[np.ndarray, "parameters horizons"]
    fixed_step_error: Annotated[np.ndarray, "parameters horizons"] | None
    tolerance: float
    trusted: Annotated[np.ndarray, "parameters horizons"]
    reasons: tuple[tuple[tuple[str, ...], ...], ...]
    first_non_finite: NonFinite | None
    warnings: tuple[str, ...]

    @property
    def all_trusted(self) -> bool:
        """Whether every derivative at every horizon can be trusted."""
        return bool(np.all(self.trusted))

    def __str__(self) -> str:
        shown = [f"{name} [{unit}]" for name, unit in zip(self.parameters, self.units, strict=True)]
        width = max(len("contacts before it"), *map(len, shown))
        lines = [
            f"Gradient trust report: {self.method}",
            "",
            _row("time [s]", [f"{time:.4g}" for time in self.horizons], width),
            _row(
                "contacts before it",
                ["?" if count < 0 else str(count) for count in self.contacts],
                width,
            ),
            *(
                _row(name, [_cell(*cell) for cell in zip(*columns, strict=True)], width)
                for name, *columns in zip(
                    shown, self.trusted, self.zero, self.confirmed_to, strict=True
                )
            ),
            "",
            "ok: forward mode, reverse mode and differences agree, the differences to the "
            "relative level shown. NO: do not trust.",
        ]
        lines += [f"Warning: {text}" for text in self.warnings]
        for name, ok, reasons in zip(self.parameters, self.trusted, self.reasons, strict=True):
            if not np.all(ok):
                row = int(np.argmin(ok))
                more = int(np.sum(~ok)) - 1
                lines.append(
                    f"{name}, from {self.horizons[row]:.4g} s on:"
                    if more
                    else f"{name}, at {self.horizons[row]:.4g} s:"
                )
                lines += [f"    {reason}" for reason in reasons[row]]
        return "\n".join(lines)


def _cell(trusted: bool, zero: bool, level: float) -> str:
    shown = "zero" if zero else f"{level:.0e}" if np.isfinite(level) else "-"
    return f"{'ok' if trusted else 'NO'}{shown:>8}"


def _row(name: str, cells: list[str], width: int) -> str:
    return "  ".join([name.ljust(width), *(cell.rjust(10) for cell in cells)])
