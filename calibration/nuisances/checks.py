"""The rules of ``Nuisance`` that a problem holds them to: which go together, whether they give the
motion of each trial, and what their hooks return.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.measurements.rules import require
from calibration.model.hooks import call_hook
from calibration.model.parameter import Parameter
from calibration.model.trial_state import TrialState
from calibration.nuisances.base import MeasuredTrial, Nuisance, UnfittedTrial


def check_nuisances(
    nuisances: Sequence[Nuisance], trials: Sequence[MeasuredTrial], *, free: Sequence[str] = ()
) -> None:
    """Check the nuisances of a problem with the ``trials`` that have a motion.

    Args:
        nuisances: of the problem.
        trials: of the problem that have a motion.
        free: names of what is to be found of the scene.

    Raises:
        InputError: what is not a nuisance, two with the same effect, one that acts on none of the
            trials, a name that is taken, a trial whose motion nothing gives.
    """
    for nuisance in nuisances:
        if not isinstance(nuisance, Nuisance):
            raise InputError(
                f"nuisance: {nuisance!r} is not a nuisance",
                remedy="Give instances of classes of calibration.nuisances, e.g. InitialState(), "
                "or of a class that inherits from calibration.nuisances.Nuisance.",
            )
    for nuisance in nuisances:
        for other in nuisances:
            if isinstance(other, nuisance.same_effect_as):
                raise InputError(
                    f"nuisance: {type(nuisance).__name__} and {type(other).__name__} have the "
                    "same effect on the data.",
                    remedy="Keep one of them.",
                )
    _check_names(nuisances, free)
    for nuisance in nuisances:
        nuisance.check(trials)
    if any(nuisance.sets_motion for nuisance in nuisances):
        return
    for trial in trials:
        moves = any(measurement.needs_motion for measurement in trial.measured)
        if moves and not trial.axes and trial.initial is None:
            raise InputError(
                f"Nothing tells the motion of trial {trial.name!r}.",
                path=trial.path,
                remedy="Add nuisance FirstImpact(), or give Trial(..., "
                "initial=jaxcontact.state(...)).",
            )


def _check_names(nuisances: Sequence[Nuisance], free: Sequence[str]) -> None:
    """Each parameter has a name of its own: results are found by it."""
    names = [one.name for nuisance in nuisances for one in check_parameters(nuisance, (0, 2))]
    taken = sorted(set(names) & set(free))
    if taken:
        raise InputError(
            f"nuisance: {', '.join(map(repr, taken))} is the name of a parameter in free, too.",
            remedy="Give the parameter of the nuisance another name.",
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"nuisance: {', '.join(map(repr, twice))} is asked for more than once.",
            remedy="Keep one of them, or give the parameters of one other names.",
        )


def check_parameters(nuisance: Nuisance, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
    """``nuisance.parameters``.

    Raises:
        InputError: it returned something else than parameters.
    """
    parameters = nuisance.parameters(axes)
    require(
        isinstance(parameters, tuple) and all(isinstance(one, Parameter) for one in parameters),
        f"{type(nuisance).__name__}.parameters returned {parameters!r}",
        "Return a tuple of calibration.nuisances.nuisance_parameter(...), with the comma.",
    )
    return parameters


def ask_start(nuisance: Nuisance, trial: UnfittedTrial) -> np.ndarray:
    """``nuisance.start``: one value for each parameter, inside its interval.

    Raises:
        InputError: it returned something else.
    """
    name, parameters = type(nuisance).__name__, nuisance.parameters(trial.axes)
    start = np.asarray(nuisance.start(trial), dtype=float)
    require(
        start.shape == (len(parameters),),
        f"{name}.start has shape {start.shape}, but there are {len(parameters)} parameters",
        "Return one value for each, np.asarray([...]).",
    )
    for parameter, value in zip(parameters, start, strict=True):
        low, high = parameter.about.interval.low, parameter.about.interval.high
        require(
            bool(np.isfinite(value)) and low <= value <= high,
            f"{name}.start: {parameter.name} = {value:g} is outside its interval",
            "Start inside; a parameter with transform='log' is positive.",
        )
    return start


def ask_applied(
    nuisance: Nuisance, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
) -> TrialState:
    """``nuisance.apply``: the trial at values of the parameters.

    Raises:
        InputError: it returned something else, changed a shape, or cannot be compiled.
    """
    name = type(nuisance).__name__
    after = call_hook(f"{name}.apply", nuisance.apply, trial_state, values, axes)
    require(
        isinstance(after, TrialState),
        f"{name}.apply returned {type(after).__name__}",
        "Return trial_state._replace(...).",
    )
    pairs = {
        "position": (trial_state.position, after.position),
        "velocity": (trial_state.velocity, after.velocity),
        "spin": (trial_state.spin, after.spin),
        "start": (trial_state.start, after.start),
    }
    for field, (before, now) in pairs.items():
        require(
            jnp.shape(now) == jnp.shape(before),
            f"{name}.apply made {field} of shape {jnp.shape(now)}",
            f"It must stay {jnp.shape(before)}; values[0] is the first number, values[:1] an "
            "array.",
        )
    return after
