"""The rules of ``Measurement`` and ``Observation`` that a problem holds them to: attributes,
numbers of the samples, shapes of what hooks return.
"""

import jax
import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.measurements.base import Abscissa, Measurement, Observation
from calibration.model.hooks import call_hook
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Trajectory


def require(holds: bool, problem: str, remedy: str) -> None:
    """Raise ``InputError`` unless a rule holds."""
    if not holds:
        raise InputError(problem, remedy=remedy)


def check_attributes(measurement: Measurement) -> None:
    """Check that the attributes of a measurement have the types that ``Measurement`` says.

    Raises:
        InputError: the rule that is broken, and the remedy.
    """
    name = type(measurement).__name__
    require(
        isinstance(measurement, Measurement),
        f"{name} does not inherit from calibration.measurements.Measurement",
        f"Write class {name}(cal.measurements.Measurement).",
    )
    flags = {
        "needs_force": measurement.needs_force,
        "needs_duration": measurement.needs_duration,
        "needs_motion": measurement.needs_motion,
        "until_rest": measurement.until_rest,
        "stated": measurement.stated,
        "guessed": measurement.guessed,
    }
    for flag, value in flags.items():
        require(
            isinstance(value, bool),
            f"{name}.{flag} = {value!r} is neither True nor False",
            "If it is a method, make it a property.",
        )
    texts = {"name": measurement.name, "path": measurement.path, "clock": measurement.clock}
    for attribute, text in texts.items():
        require(
            isinstance(text, str) or (text is None and attribute != "name"),
            f"{name}.{attribute} = {text!r} is no text",
            "Give a str.",
        )
    require(
        isinstance(measurement.abscissa, Abscissa),
        f"{name}.abscissa = {measurement.abscissa!r} is not one of calibration.measurements."
        "Abscissa",
        "Use Abscissa.TIME, Abscissa.IMPACT or Abscissa.NUMBER.",
    )
    require(
        measurement.abscissa is not Abscissa.TIME or measurement.clock is not None,
        f"{name}: the rows are in time, but clock is None",
        'Name the clock on which the times are, e.g. clock = "camera".',
    )
    require(
        isinstance(measurement.axes, tuple) and set(measurement.axes) <= set("xyz"),
        f"{name}.axes = {measurement.axes!r} is not a tuple of letters x, y, z",
        "Leave it out unless the columns are positions of the centre.",
    )


def check_samples(measurement: Measurement, samples: MeasuredSamples) -> MeasuredSamples:
    """Check that the samples of a measurement have one shape and usable numbers, and that
    ``quantities`` and ``contacts`` go with them.

    Returns:
        The same as arrays of NumPy, float64.

    Raises:
        InputError: the rule that is broken, and the remedy.
    """
    name = type(measurement).__name__
    require(
        isinstance(samples, MeasuredSamples),
        f"{name}.samples returned {type(samples).__name__}",
        "Return calibration.measurements.MeasuredSamples(times, measured, sigma).",
    )
    times, measured, sigma = (_as_numbers(name, column) for column in samples[:3])
    rows = times.size
    require(
        times.ndim == 1 and rows > 0 and measured.ndim == 2 and measured.shape[0] == rows,
        f"{name}.samples: times have shape {times.shape} and measured {measured.shape}",
        "Give (n,) and (n, k); one column is measured[:, None].",
    )
    require(
        sigma.shape == measured.shape,
        f"{name}.samples: sigma has shape {sigma.shape}, but measured {measured.shape}",
        "Give a standard deviation for each number; np.full(measured.shape, sigma) repeats one.",
    )
    reference = samples.reference
    if reference is not None:
        reference = np.asarray(reference)
        require(
            reference.ndim == 2 and reference.shape[0] == rows,
            f"{name}.samples: reference has shape {reference.shape}",
            f"Give ({rows}, m): something for each row.",
        )
    require(
        bool(np.all(sigma > 0)),
        f"{name}.samples: a sigma is not positive",
        "Write np.inf where a number is not used.",
    )
    require(
        bool(np.all(np.isfinite(measured[np.isfinite(sigma)]))),
        f"{name}.samples: a number with a finite sigma is not finite",
        "Give an infinite sigma exactly to what was not measured.",
    )
    require(
        bool(np.all(np.isfinite(times))),
        f"{name}.samples: a time is not finite",
        "Write zeros where the rows have no times.",
    )
    _check_columns(measurement, measured.shape)
    return MeasuredSamples(times, measured, sigma, reference)


def _as_numbers(name: str, column: object) -> np.ndarray:
    try:
        return np.asarray(column, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name}.samples: a column cannot be read as numbers ({error})",
            remedy="Return arrays of NumPy: times (n,), measured (n, k), sigma (n, k).",
        ) from error


def _check_columns(measurement: Measurement, shape: tuple[int, ...]) -> None:
    name, quantities, contacts = (
        type(measurement).__name__,
        measurement.quantities,
        measurement.contacts,
    )
    require(
        isinstance(quantities, tuple) and all(isinstance(each, str) for each in quantities),
        f"{name}.quantities = {quantities!r} is not a tuple of texts",
        'Give e.g. ("rebound speed [m/s]",), with the comma.',
    )
    require(
        len(quantities) == shape[1],
        f"{name}.quantities names {len(quantities)} columns, but samples has {shape[1]}",
        "Name each column, with its unit.",
    )
    require(
        isinstance(contacts, int) and contacts >= 0,
        f"{name}.contacts = {contacts!r} is not a whole number from 0",
        "Return how many impacts of the motion the rows need.",
    )
    require(
        measurement.abscissa is not Abscissa.IMPACT or contacts >= shape[0],
        f"{name}.contacts = {contacts}, but there are rows for {shape[0]} impacts",
        "Leave contacts out, or return the number of the last impact.",
    )


def ask_times(observation: Observation, trial_state: TrialState, samples: Samples) -> jax.Array:
    """``observation.times``, of one dimension.

    Raises:
        InputError: it returned something else, or cannot be compiled.
    """
    name = type(observation).__name__
    times = call_hook(f"{name}.times", observation.times, trial_state, samples)
    require(
        isinstance(times, (jax.Array, np.ndarray)) and times.ndim == 1,
        f"{name}.times returned {_describe(times)}",
        "Return an array of one dimension; one time is jnp.asarray(time)[None].",
    )
    return jnp.asarray(times)


def ask_prediction(
    observation: Observation, trial_state: TrialState, motion: Trajectory, samples: Samples
) -> jax.Array:
    """``observation.predict``, of the shape of what was measured.

    Raises:
        InputError: it returned something else, or cannot be compiled.
    """
    name = type(observation).__name__
    predicted = call_hook(f"{name}.predict", observation.predict, trial_state, motion, samples)
    shape = jnp.shape(samples.measured)
    require(
        isinstance(predicted, (jax.Array, np.ndarray)) and predicted.shape == shape,
        f"{name}.predict returned {_describe(predicted)}, but the samples have the shape {shape}",
        "Return a row for each row of samples, their count is samples.times.shape[0]. Where rows "
        "are impacts, let calibration.measurements.take_impacts pick them, and set abscissa = "
        "Abscissa.IMPACT.",
    )
    whole = jnp.result_type(float)
    require(
        predicted.dtype == whole,
        f"{name}.predict returned {predicted.dtype} where the simulation computes in {whole}",
        "Leave out casts such as astype: they lose digits and derivatives.",
    )
    return jnp.asarray(predicted)


def _describe(value: object) -> str:
    if isinstance(value, (jax.Array, np.ndarray)):
        return f"the shape {value.shape}"
    return "None" if value is None else f"{type(value).__name__}"
