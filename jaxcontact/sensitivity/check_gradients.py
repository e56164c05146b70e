"""Whether the derivatives of a simulation can be trusted."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.parameters import is_concrete
from jaxcontact.scene.scene import Scene, State
from jaxcontact.sensitivity.differentiated import (
    DifferentiatedSimulation,
    by_parameter,
    derivatives,
    outcomes,
)
from jaxcontact.sensitivity.finite_differences import differences, ladder, points
from jaxcontact.sensitivity.fixed_step_reference import (
    Reference,
    expected_error,
    reference_of,
    strength_of_gravity,
    warning,
)
from jaxcontact.sensitivity.non_finite import NonFinite, first_non_finite
from jaxcontact.sensitivity.report import GradientReport, GradientVerdict
from jaxcontact.sensitivity.selection import components, selected
from jaxcontact.simulation.simulate import (
    Contacts,
    EventAligned,
    FixedStep,
    Method,
    Status,
    Trajectory,
)

FRACTIONS = (0.25, 0.5, 0.75, 1.0)

NEGLIGIBLE = 1e-7
"""A derivative is measured at least by this much of (size of the observable)/(size of the
parameter).
"""


def position(trajectory: Trajectory) -> jax.Array:
    """The default observable: all positions [m]."""
    return trajectory.position


def check_gradients(
    scene: Scene,
    initial: State,
    times: ArrayLike,
    *,
    method: Method | None = None,
    of: Iterable[str] | None = None,
    observable: Callable[[Trajectory], Any] = position,
    horizons: Sequence[float] = FRACTIONS,
    tolerance: float = 1e-6,
) -> GradientReport:
    """Compare the derivatives of a simulation in forward mode, in reverse mode and by differences,
    for each parameter and horizon.

    A derivative is trusted where all three are finite and agree within ``tolerance`` and the
    estimated error of the differences, and this error is below 1 %. Differences of a program only
    show that the program is differentiated correctly. Whether its derivative is that of the motion
    is another question with ``FixedStep``: there a derivative is trusted only if the rule for fixed
    steps (``derivatives.fixed_step_rule``), with arrival times of an event-aligned or rigid
    simulation, expects an error below 10 %, and if it is within 10 % of the event-aligned
    derivative where that method can simulate the scene.

    Runs for some seconds, most of them compiling; a second check of a scene of the same structure
    is fast. Not for use under ``jit``.

    Args:
        scene: as for ``simulate``; numbers, no tracers.
        initial: as for ``simulate``.
        times: as for ``simulate``; the output times of a fixed step are part of its grid.
        method: as for ``simulate``.
        of: names of parameters: a leaf (``"contact.normal.restitution"``, ``"initial.position"``),
            one number of it (``"initial.position[2]"``) or all below a name (``"contact"``).
            ``None``: every number of the scene and the initial state.
        observable: what is differentiated, a function of the trajectory whose result has a leading
            axis of times. What is compiled is kept for this very function, so define it once.
        horizons: where the derivative is checked, as fractions of the time range in ``(0, 1]``; at
            the nearest of ``times`` if one is within 5 % of the range.
        tolerance: relative disagreement that is accepted.

    Returns:
        A report with all derivatives, a verdict with reasons for each parameter and horizon, and a
        table as its text.

    Raises:
        TypeError: ``scene``, ``initial`` or ``times`` is traced.
        ValueError: ``times``, ``horizons`` or ``tolerance`` are outside their range, or ``of``
            names no parameter.

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
        >>> bool(report.trusted.all())
        True
    """
    method = EventAligned() if method is None else method
    if not is_concrete(times) or not all(
        is_concrete(leaf) for leaf in jax.tree.leaves((scene, initial))
    ):
        raise TypeError(
            "check_gradients: scene, initial or times is traced. Call it outside jit, vmap "
            "and grad, with numbers."
        )
    if not (isinstance(tolerance, (int, float)) and 0 < tolerance < 1):
        raise ValueError(f"check_gradients: tolerance = {tolerance!r} is outside (0, 1).")
    parts = selected(components(scene, initial), of)
    grid, rows = _grid(np.asarray(times, dtype=float), horizons, method)
    simulation = DifferentiatedSimulation(scene, initial, parts, grid, rows, method, observable)
    return _report(simulation, tolerance)


def _grid(
    times: np.ndarray, fractions: Sequence[float], method: Method
) -> tuple[np.ndarray, tuple[int, ...]]:
    """Output times of the simulation, and which of them are the horizons."""
    if times.ndim != 1 or times.size < 2 or not times[-1] > times[0]:
        raise ValueError(
            f"check_gradients: times has shape {times.shape}, but must be at least two "
            "increasing times, shape (n,)."
        )
    if not fractions or not all(0 < fraction <= 1 for fraction in fractions):
        raise ValueError(
            f"check_gradients: horizons = {fractions!r} are not fractions of the time range "
            "in (0, 1]."
        )
    span = times[-1] - times[0]
    wanted = times[0] + span * np.unique(np.asarray(fractions, dtype=float))
    nearest = times[np.argmin(np.abs(times - wanted[:, None]), axis=1)]
    chosen = np.unique(np.where(np.abs(nearest - wanted) <= 0.05 * span, nearest, wanted))
    # The steps of a fixed step divide the intervals between output times; the other methods do not
    # depend on them.
    grid = np.union1d(times if isinstance(method, FixedStep) else times[[0, -1]], chosen)
    return grid, tuple(int(row) for row in np.searchsorted(grid, chosen))


def _scales(simulation: DifferentiatedSimulation) -> np.ndarray:
    """Size of each parameter: of its leaf, or where that is zero what its unit suggests."""
    scene, initial = simulation.scene, simulation.initial
    length = float(np.mean(np.asarray(scene.bodies.radius)))
    gravity = strength_of_gravity(simulation)
    speed = max(
        float(np.max(np.abs(np.asarray(initial.velocity)))), (gravity * length) ** 0.5, 1e-3
    )
    by_unit = {"m": length, "m/s": speed, "rad/s": speed / length, "m/s^2": max(gravity, 1.0)}
    return np.asarray([part.size or by_unit.get(part.unit, 1.0) for part in simulation.parts])


def _counts(simulation: DifferentiatedSimulation, contacts: Contacts | None) -> np.ndarray | None:
    """Contacts that began before each horizon, ``(points, horizons)``."""
    if contacts is None:
        return None
    horizon = simulation.times[np.asarray(simulation.rows)]
    began = np.asarray(contacts.happened)[:, :, None] & (
        np.asarray(contacts.touch_down)[:, :, None] <= horizon
    )
    return np.sum(began, axis=1)


def _largest(numbers: np.ndarray) -> np.ndarray:
    """Largest magnitude on the last axis; NaN if there is one."""
    return np.max(np.abs(numbers), axis=-1, initial=0.0)


def _report(simulation: DifferentiatedSimulation, tolerance: float) -> GradientReport:
    values, scales = np.asarray(simulation.values), _scales(simulation)
    steps = ladder(simulation.parts, scales, float(np.finfo(values.dtype).eps))
    observed, contacts, status = jax.tree.map(
        np.asarray, outcomes(simulation, jnp.asarray(points(values, steps)))
    )
    by_difference = differences(steps, observed, _counts(simulation, contacts))
    forward, reverse = (
        by_parameter(derivatives(simulation, mode)[0]) for mode in ("forward", "reverse")
    )
    reference = reference_of(simulation) if isinstance(simulation.method, FixedStep) else None
    nominal = None if contacts is None else jax.tree.map(lambda column: column[0], contacts)
    nominal = reference.contacts if nominal is None and reference is not None else nominal
    counts = (
        None
        if nominal is None
        else _counts(simulation, jax.tree.map(lambda column: column[None], nominal))
    )

    extent = float(np.max(np.abs(observed[0]), initial=0.0))
    least = np.broadcast_to(
        NEGLIGIBLE * extent / scales[:, None] + np.finfo(float).tiny, by_difference.error.shape
    )
    true = None if reference is None else reference.derivative
    size = np.fmax(
        _largest(true)
        if true is not None
        else np.fmax(_largest(forward), _largest(by_difference.derivative)),
        least,
    )
    expected = _expected_error(simulation, reference)
    with np.errstate(invalid="ignore"):
        verdict = GradientVerdict(
            finite=np.isfinite(_largest(forward)) & np.isfinite(_largest(reverse)),
            modes_apart=_largest(forward - reverse) / size,
            differences_apart=_largest(forward - by_difference.derivative) / size,
            difference_error=by_difference.error / size,
            noise=by_difference.error / np.fmax(_largest(by_difference.derivative), least),
            events_change=by_difference.events_change,
            growth=size * scales[:, None] / (extent + np.finfo(float).tiny),
            expected_error=None if expected is None else expected / size,
            from_truth=None if true is None else _largest(forward - true) / size,
            tolerance=tolerance,
        )
    reasons = tuple(
        tuple(verdict.reasons(p, h) for h in range(len(simulation.rows)))
        for p in range(len(simulation.parts))
    )
    failure = _failure(simulation, nominal, forward, reverse)
    return GradientReport(
        method=_name(simulation.method),
        parameters=tuple(part.name for part in simulation.parts),
        units=tuple(part.unit for part in simulation.parts),
        values=values,
        horizons=simulation.times[np.asarray(simulation.rows)],
        contacts=np.full(len(simulation.rows), -1) if counts is None else counts[0],
        forward=forward,
        reverse=reverse,
        difference=by_difference.derivative,
        difference_error=by_difference.error,
        difference_step=by_difference.step,
        size=size,
        zero=size == least,
        confirmed_to=verdict.differences_apart + verdict.difference_error,
        fixed_step_error=verdict.expected_error,
        tolerance=tolerance,
        trusted=np.asarray([[not reason for reason in row] for row in reasons]),
        reasons=reasons,
        first_non_finite=failure,
        warnings=_warnings(simulation, reference, failure, int(status[0])),
    )


def _expected_error(
    simulation: DifferentiatedSimulation, reference: Reference | None
) -> np.ndarray | None:
    if reference is None or not isinstance(simulation.method, FixedStep):
        return None
    return expected_error(simulation, reference, simulation.method.step)


def _warnings(
    simulation: DifferentiatedSimulation,
    reference: Reference | None,
    failure: NonFinite | None,
    status: int,
) -> tuple[str, ...]:
    found = [] if failure is None else [str(failure)]
    if isinstance(simulation.method, FixedStep):
        if (
            reference is None
            or expected_error(simulation, reference, simulation.method.step) is None
        ):
            found.append(
                "no contact is known, or the law has no time scale, so the rule for fixed "
                "steps says nothing."
            )
        elif text := warning(simulation, reference, simulation.method.step):
            found.append(text)
    if status == Status.TOO_FEW_CONTACTS:
        found.append(Status.TOO_FEW_CONTACTS.advice)
    return tuple(found)


def _failure(
    simulation: DifferentiatedSimulation,
    contacts: Contacts | None,
    forward: np.ndarray,
    reverse: np.ndarray,
) -> NonFinite | None:
    for mode, found in (("forward", forward), ("reverse", reverse)):
        if not np.all(np.isfinite(found)):
            return first_non_finite(simulation, contacts, mode)
    return None


def _name(method: Any) -> str:
    """The method with those of its options that are not the usual ones."""
    changed = [
        f"{field.name}={getattr(method, field.name)!r}"
        for field in dataclasses.fields(method)
        if getattr(method, field.name) != field.default
    ]
    return f"{type(method).__name__}({', '.join(changed)})"
