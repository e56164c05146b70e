"""Checks that a measurement or a nuisance keeps the rules by which fits use it.

They are for those who write one. Each check raises ``AssertionError`` at the first rule that is
broken, names the hook, and says how to mend it. They take seconds: most of it is compilation.

Example:
    >>> cal.testing.check_measurement.__name__, cal.testing.check_nuisance.__name__
    ('check_measurement', 'check_nuisance')
"""

import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.detection.detection import Detection
from calibration.detection.impacts import DetectedImpacts
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.measurements.base import Measurement, Observation
from calibration.measurements.rules import ask_times, check_attributes, check_samples
from calibration.model.parameter import Parameter
from calibration.model.samples import Samples
from calibration.model.trial_state import TrialState, make_trial_state
from calibration.nuisances.base import Nuisance, UnfittedTrial
from calibration.nuisances.checks import ask_applied, ask_start, check_parameters
from calibration.problem.problem import Problem, find_first_time
from calibration.problem.statuses import find_statuses
from calibration.problem.trial import Trial
from jaxcontact import Scene, State, Status
from jaxcontact.simulation.core.status import succeeded

RESTITUTION = "contact.normal.restitution"

EXTRA_ROWS = 3
"""Rows that are added to see whether padding is ignored."""

ROUNDING = 1e-8
"""Relative difference of what should be equal but for rounding."""

STEP = 1e-6
"""Step of finite differences, relative to a coordinate of at least one."""

A_BIT = 0.1
"""Change of a coordinate after which an effect shows that is none at the start."""

DIFFERENCES = 1e-4
"""Relative difference of derivatives that finite differences are allowed."""

Result = TypeVar("Result")


def check_measurement(
    measurement: Measurement,
    scene: Scene,
    *,
    initial: State | None = None,
    free: Sequence[str] = (RESTITUTION,),
    nuisance: Sequence[Nuisance] = (),
) -> None:
    """Check that a measurement and its observation keep the rules of ``Measurement``.

    The attributes have the types that they should have; ``samples`` has one shape and usable
    numbers; the observation is hashable, and equal to its copy from a pickle; ``predict`` has the
    shape of the samples, is finite, can be compiled and batched, and its derivatives by all
    parameters are finite, the same in forward and in reverse mode, and those of finite differences;
    rows that are padded and numbers that are not used change nothing.

    Args:
        measurement: with data, a few rows of them.
        scene: in which they could have been measured.
        initial: known initial state of the trial, where the measurement does not show it.
        free: parameters of the scene by which derivatives are checked.
        nuisance: as for ``Problem``.

    Raises:
        AssertionError: the rule that is broken, and the remedy.
        InputError: a problem that cannot be set up with this scene and these parameters.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> sounds = cal.measurements.BounceTimes([0.32, 0.75, 1.05], sigma=1e-4)
        >>> cal.testing.check_measurement(
        ...     sounds, scene, nuisance=[cal.nuisances.FirstImpact()]
        ... )
    """
    name = type(measurement).__name__
    with jax.enable_x64(True):
        _run(f"{name}: its attributes", lambda: check_attributes(measurement))
        trial = Trial(measurement, initial=initial)
        detected = trial.detect(scene)
        _require(
            detected is None or isinstance(detected, (DetectedBounces, DetectedImpacts)),
            f"{name}.detect returned {type(detected).__name__}",
            "Return DetectedBounces, DetectedImpacts (calibration.detection) or None.",
        )
        _run(f"{name}: samples", lambda: _check_samples(name, measurement, detected))
        _check_observation(name, measurement)
        _check_copy(name, measurement, lambda copy: _same_samples(measurement, copy, detected))
        problem = Problem(scene, [trial], free=free, nuisance=nuisance)
        _check_predictions(name, problem)
        _check_derivatives(f"{name}: predict", problem)
        _check_padding(name, problem)
        _check_unused_numbers(name, problem)
        _check_simulation(name, problem)


def check_nuisance(
    nuisance: Nuisance,
    trial: Trial | Recording | Measurement,
    scene: Scene,
    *,
    free: Sequence[str] = (RESTITUTION,),
    beside: Sequence[Nuisance] = (),
) -> None:
    """Check that a nuisance keeps the rules of ``Nuisance``.

    It is hashable, and equal to its copy from a pickle; its parameters are the same at every call;
    ``start`` gives one value for each, inside its interval; ``apply`` returns a ``TrialState`` that
    depends on each of them, can be compiled, and has finite derivatives; those of the prediction of
    the whole trial are finite, the same in forward and in reverse mode, and those of finite
    differences.

    Args:
        nuisance: to be checked.
        trial: one that it concerns.
        scene: in which the trial could have been measured.
        free: parameters of the scene of the problem that is checked.
        beside: other nuisances of that problem, such as ``InitialState()``.

    Raises:
        AssertionError: the rule that is broken, and the remedy.
        InputError: a problem that cannot be set up with these nuisances.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> sounds = cal.measurements.BounceTimes([0.32, 0.75, 1.05], sigma=1e-4)
        >>> cal.testing.check_nuisance(cal.nuisances.FirstImpact(), sounds, scene)
    """
    name = type(nuisance).__name__
    trial = trial if isinstance(trial, Trial) else Trial(trial)
    with jax.enable_x64(True):
        _require(
            isinstance(nuisance, Nuisance),
            f"{name} does not inherit from calibration.nuisances.Nuisance",
            f"Write class {name}(cal.nuisances.Nuisance).",
        )
        _check_hash(name, nuisance)
        _check_copy(name, nuisance, lambda copy: bool(copy == nuisance))
        _require(
            isinstance(nuisance.shared, bool),
            f"{name}.shared = {nuisance.shared!r} is neither True nor False",
            "Set shared = True where all trials have one value.",
        )
        _require(
            nuisance.concerns(trial) is True,
            f"{name}.concerns returned {nuisance.concerns(trial)!r} for this trial",
            "Give a trial that it concerns; concerns must return True or False.",
        )
        nuisance.check([trial])
        axes = tuple("xyz".index(axis) for axis in trial.axes)
        parameters = _check_parameters(name, nuisance, () if nuisance.shared else axes)
        detected = trial.detect(scene)
        before = UnfittedTrial(
            trial.measured, trial.initial, detected, scene, () if nuisance.shared else axes
        )
        start = _run(f"{name}.start", lambda: ask_start(nuisance, before))
        samples = [measurement.samples(detected) for measurement in trial.measured]
        known = trial.known_state(find_first_time(trial.measured, samples))
        _check_apply(name, nuisance, parameters, make_trial_state(scene, known), start, axes)
        problem = Problem(scene, [trial], free=free, nuisance=[*beside, nuisance])
        _check_derivatives(f"{name}: the prediction", problem)
        _check_effect(name, nuisance, parameters, problem)


def _require(condition: bool, problem: str, remedy: str) -> None:
    if not condition:
        raise AssertionError(f"{problem}. {remedy}")


# Measurements


def _check_samples(name: str, measurement: Measurement, detected: Detection | None) -> None:
    samples = check_samples(measurement, measurement.samples(detected))
    _require(
        bool(np.any(np.isfinite(samples.sigma))),
        f"{name}.samples: all sigmas are infinite",
        "Give an infinite sigma exactly to what was not measured.",
    )


def _check_observation(name: str, measurement: Measurement) -> None:
    observation = measurement.observation()
    kind = type(observation).__name__
    _require(
        isinstance(observation, Observation),
        f"{name}.observation returned {kind}, which is no calibration.measurements.Observation",
        f"Write class {kind}(cal.measurements.Observation).",
    )
    _check_hash(kind, observation)
    _require(
        observation == measurement.observation(),
        f"{kind} is not equal to a second one of the same measurement",
        "Make it a frozen dataclass; else every fit compiles anew.",
    )
    _check_copy(kind, observation, lambda copy: bool(copy == observation))


def _same_samples(measurement: Measurement, copy: Measurement, detected: Any) -> bool:
    pairs = zip(measurement.samples(detected), copy.samples(detected), strict=True)
    return all(
        one is other if one is None or other is None else np.array_equal(one, other, equal_nan=True)
        for one, other in pairs
    )


def _check_predictions(name: str, problem: Problem) -> None:
    shared, local, data = _arguments(problem)
    predict = _predictor(problem)
    times = _run(f"{name}: times", lambda: jax.jit(_asker(problem))(shared, local, data))
    _require(
        bool(np.all(np.isfinite(times))),
        f"{name}: times returned numbers that are not finite",
        "Leave the motion out of times: it is known only after them.",
    )
    predicted = _run(f"{name}: predict", lambda: jax.jit(predict)(shared, local, data))
    _require(
        bool(np.all(np.isfinite(predicted))),
        f"{name}: predict returned numbers that are not finite",
        "Replace what is not defined by any finite number, before it is divided by or rooted.",
    )

    def twice(column: Any) -> jax.Array:
        return jnp.stack([jnp.asarray(column)] * 2)

    both = _run(
        f"{name}: predict in a batch",
        lambda: jax.jit(jax.vmap(predict))(*jax.tree.map(twice, (shared, local, data))),
    )
    _require(
        _close(both[0], predicted) and _close(both[1], predicted),
        f"{name}: predict gives other numbers in a batch of trials (jax.vmap)",
        "Let it depend on its arguments alone.",
    )


def _check_padding(name: str, problem: Problem) -> None:
    shared, local, data = _arguments(problem)
    samples = data.samples[0]
    rows = samples.times.size

    def lengthen(column: Any, *, repeat: bool) -> np.ndarray:
        column = np.asarray(column)
        last = column[-1:] if repeat else np.zeros_like(column[-1:])
        return np.concatenate([column, np.repeat(last, EXTRA_ROWS, axis=0)])

    longer = Samples(
        lengthen(samples.times, repeat=True),
        lengthen(samples.measured, repeat=False),
        lengthen(samples.weight, repeat=False),
        reference=None if samples.reference is None else lengthen(samples.reference, repeat=True),
    )
    predict = jax.jit(_predictor(problem))
    padded = _run(
        f"{name}: predict with padded rows",
        lambda: predict(shared, local, data._replace(samples=(longer,))),
    )
    _require(
        bool(np.all(np.isfinite(padded))),
        f"{name}: with {EXTRA_ROWS} padded rows, predict returned numbers that are not finite",
        "Padded rows may hold any finite number, also where they are more than the motion has "
        "impacts.",
    )
    _require(
        _close(padded[:rows], predict(shared, local, data)),
        f"{name}: padded rows change the prediction of the others",
        "Predict each row from its own time and reference.",
    )


def _check_unused_numbers(name: str, problem: Problem) -> None:
    shared, local, data = _arguments(problem)
    samples = data.samples[0]
    unused = np.zeros(samples.measured.shape, dtype=bool)
    unused[0] = True
    ignored = samples._replace(weight=np.where(unused, 0.0, samples.weight))
    other = ignored._replace(measured=np.where(unused, samples.measured + 1.0, samples.measured))

    @jax.jit
    def residual(samples: Samples) -> jax.Array:
        return problem.layout.residual(
            0, problem.scene, shared, local, data._replace(samples=(samples,))
        )

    _require(
        _close(residual(other), residual(ignored), tolerance=1e-6),
        f"{name}: a number with an infinite sigma changes the residuals",
        "predict must not take from samples.measured what is not used.",
    )


# Nuisances


def _check_parameters(
    name: str, nuisance: Nuisance, axes: tuple[int, ...]
) -> tuple[Parameter, ...]:
    parameters = _run(f"{name}.parameters", lambda: check_parameters(nuisance, axes))
    _require(
        parameters == nuisance.parameters(axes),
        f"{name}.parameters returned something else at a second call",
        "Let it depend on the fields of the nuisance and on axes alone.",
    )
    names = [parameter.name for parameter in parameters]
    _require(
        len(set(names)) == len(names),
        f"{name}.parameters: {names} has a name twice",
        "Give each parameter its own name.",
    )
    return parameters


def _check_apply(
    name: str,
    nuisance: Nuisance,
    parameters: tuple[Parameter, ...],
    before: TrialState,
    start: np.ndarray,
    axes: tuple[int, ...],
) -> None:
    def numbers(values: jax.Array) -> jax.Array:
        after = ask_applied(nuisance, before, values, axes)
        leaves = [jnp.ravel(jnp.asarray(leaf, dtype=float)) for leaf in jax.tree.leaves(after)]
        return jnp.concatenate(leaves)

    values = jnp.asarray(start)
    forward = _run(f"{name}.apply", lambda: jax.jit(jax.jacfwd(numbers))(values))
    reverse = _run(f"{name}.apply", lambda: jax.jit(jax.jacrev(numbers))(values))
    _require(
        bool(np.all(np.isfinite(forward))) and _close(forward, reverse),
        f"{name}.apply has derivatives that are not finite, or differ in forward and reverse mode",
        "Use functions of jax.numpy that are smooth at the start.",
    )
    for parameter, column in zip(parameters, np.asarray(forward).T, strict=True):
        _require(
            bool(np.any(column != 0)),
            f"{name}.apply does not use {parameter.name}",
            "Use values in the order of parameters; jax.lax.stop_gradient and int() lose them.",
        )


def _check_effect(
    name: str, nuisance: Nuisance, parameters: tuple[Parameter, ...], problem: Problem
) -> None:
    """Every parameter changes what some measurement of the trial shows."""
    shared, local, data = _arguments(problem)
    count = len(parameters)
    own = shared if nuisance.shared else local
    first = own.size - count  # the nuisance is the last of the problem

    @jax.jit
    def shown(values: jax.Array) -> jax.Array:
        moved = jnp.concatenate([own[:first], values])
        of_all, of_one = (moved, local) if nuisance.shared else (shared, moved)
        seen = problem.layout.expected(0, problem.scene, of_all, of_one, data)
        return jnp.concatenate([numbers.ravel() for numbers in seen])

    at = own[first:]
    slopes = [np.asarray(jax.jacfwd(shown)(at + change)) for change in (0.0, A_BIT)]
    for index, parameter in enumerate(parameters):
        _require(
            any(bool(np.any(slope[:, index] != 0)) for slope in slopes),
            f"{name}: no measurement of the trial changes with {parameter.name}",
            "Check the name: what apply sets by with_quantity(name, ...) an observation must read "
            "by quantity(name). Or give a trial with a measurement that shows it.",
        )


# Both


def _arguments(problem: Problem) -> tuple[Any, Any, Any]:
    """Coordinates and data of the only trial."""
    shared, local = problem.start
    data = jax.tree.map(lambda column: np.asarray(column)[0], problem.data[0])
    return jnp.asarray(shared), jnp.asarray(local[0][0]), data


def _predictor(problem: Problem) -> Callable[[Any, Any, Any], jax.Array]:
    """The prediction of the first measurement, a function of coordinates and data."""

    def predict(shared: Any, local: Any, data: Any) -> jax.Array:
        return problem.layout.expected(0, problem.scene, shared, local, data)[0]

    return predict


def _asker(problem: Problem) -> Callable[[Any, Any, Any], jax.Array]:
    """The times of the first measurement, a function of coordinates and data."""

    def times(shared: Any, local: Any, data: Any) -> jax.Array:
        layout, batch = problem.layout, problem.layout.batches[0]
        at = layout.at_trial(0, problem.scene, shared, data)
        return ask_times(
            batch.observations[0], batch.trial_state(*at, local, data), data.samples[0]
        )

    return times


def _check_simulation(name: str, problem: Problem) -> None:
    """What the observation asks for can be simulated."""
    codes = find_statuses(problem.layout, problem.scene, *problem.start, problem.data)
    worst = Status(max(int(np.max(own)) for own in codes))
    _require(
        bool(succeeded(int(worst))),
        f"{name}: the simulation up to the last of its times does not succeed ({worst.name})",
        f"{worst.advice} Where rows are impacts, set abscissa = Abscissa.IMPACT: then only they "
        "need to be reached. Else ask in times for no more than is shown.",
    )


def _check_derivatives(what: str, problem: Problem) -> None:
    shared, local, data = _arguments(problem)
    predict = _predictor(problem)

    @jax.jit
    def at(coordinates: jax.Array) -> jax.Array:
        return predict(coordinates[: shared.size], coordinates[shared.size :], data)

    start = jnp.concatenate([shared, local])
    forward = np.asarray(_run(what, lambda: jax.jit(jax.jacfwd(at))(start)))
    reverse = np.asarray(_run(what, lambda: jax.jit(jax.jacrev(at))(start)))
    _require(
        bool(np.all(np.isfinite(forward))) and bool(np.all(np.isfinite(reverse))),
        f"{what} has derivatives that are not finite",
        "Look for square roots, norms and quotients at zero: jnp.where must guard the argument, "
        "not the result.",
    )
    _require(
        _close(forward, reverse),
        f"{what} has other derivatives in reverse than in forward mode",
        "A rule of its own (custom_jvp, custom_vjp) must give the same in both.",
    )
    _require(
        bool(np.any(forward != 0)),
        f"{what} has zero derivatives by all parameters",
        "Rounding, comparisons and jax.lax.stop_gradient lose them. Or name other parameters in "
        "free, on which it depends.",
    )
    for index in range(start.size):
        step = STEP * max(1.0, abs(float(start[index])))
        wide, slope = (_slope(at, start, index, length) for length in (10 * step, step))
        scale = np.max(np.abs(forward[..., index]), initial=0.0)
        rounding = 1e-9 / step * np.max(np.abs(at(start)), initial=0.0)
        allowed = DIFFERENCES * scale + rounding + np.abs(wide - slope)
        _require(
            bool(np.all(np.abs(slope - forward[..., index]) <= allowed)),
            f"{what} has derivatives by coordinate {index} that differ from finite differences",
            "Let every number that depends on parameters stay a JAX array: float(), numpy and "
            "jax.lax.stop_gradient lose derivatives.",
        )


def _slope(
    at: Callable[[jax.Array], jax.Array], start: jax.Array, index: int, step: float
) -> np.ndarray:
    """Central difference by one coordinate. What two steps differ by is about the error of the
    longer one.
    """
    change = jnp.zeros(start.size).at[index].set(step)
    return np.asarray((at(start + change) - at(start - change)) / (2 * step))


def _check_hash(name: str, value: object) -> None:
    try:
        hash(value)
    except TypeError as error:
        raise AssertionError(
            f"{name} is not hashable ({error}). Make it a frozen dataclass, "
            "@dataclasses.dataclass(frozen=True), with fields that are numbers, strings or tuples: "
            "it is part of compiled code."
        ) from error


def _check_copy(name: str, value: Result, same: Callable[[Result], bool]) -> None:
    try:
        copy = pickle.loads(pickle.dumps(value))
    except Exception as error:
        raise AssertionError(
            f"{name} cannot be pickled ({error}). Write its class at the top of a module, and keep "
            "no functions or open files in it."
        ) from error
    _require(
        same(copy),
        f"{name} is not equal to its copy from a pickle",
        "Compare by value: a frozen dataclass does.",
    )


def _run(what: str, function: Callable[[], Result]) -> Result:
    try:
        return function()
    except AssertionError:
        raise
    except InputError as error:
        raise AssertionError(str(error)) from error
    except Exception as error:
        raise AssertionError(
            f"{what} cannot be computed ({type(error).__name__}: {error}). Use jax.numpy on what "
            "depends on parameters, and check shapes."
        ) from error


def _close(one: Any, other: Any, *, tolerance: float = ROUNDING) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    scale = max(np.max(np.abs(one), initial=0.0), 1e-12)
    return one.shape == other.shape and bool(np.all(np.abs(one - other) <= tolerance * scale))
