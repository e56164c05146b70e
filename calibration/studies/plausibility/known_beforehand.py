"""What was found and contradicts what is known beforehand: the table is not steep, lengths are not
short by half. One such number hardly shows in chi-squared beside a thousand samples.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from numpy.typing import NDArray

from calibration.model.parameter import Parameter
from calibration.model.prior import Normal
from calibration.nuisances.restitution import DEVIATION
from calibration.results.numbers import listed
from calibration.results.result import Fit
from calibration.studies.plausibility.finding import Finding, two_digits

SURPRISING = 5.0
"""Standard deviations of what is known beforehand. Those of a slope are 2 degrees: a table that
slopes by 10 was meant to slope.
"""

UNKNOWN = {
    "surface_tilt_x": "surface tilt: towards=x",
    "surface_tilt_y": "surface tilt: towards=y",
    "tilt_x": "gravity tilt: towards=x",
    "tilt_y": "gravity tilt: towards=y",
    "drift_x": "camera drift",
    "drift_z": "camera drift",
    "line_time": "rolling shutter",
    "pixel_aspect": "pixel aspect",
}
"""Nuisances that make a quantity one of which nothing is known, by the name of its parameter."""


def contradicts_knowledge(fit: Fit) -> Iterator[Finding]:
    """A finding on parameters that came out far from what is known of them beforehand: they stand
    for something that the model lacks, and what was found beside them does, too.

    Args:
        fit: of trajectories.
    """
    found = fit.assessment
    if found is None:  # a result that was read from a file
        return
    layout, minimum, problem = found.layout, found.minimum, fit.problem
    surprising = list(_surprising(layout.global_parameters, minimum.shared))
    for batch, members, local in zip(layout.batches, problem.members, minimum.local, strict=True):
        for own, member in zip(local, members, strict=True):
            name = problem.trials[member].name
            surprising += _surprising(batch.trial_parameters, own, of=f" of {name}")
    if surprising:
        farthest = {}
        for one in sorted(surprising, key=lambda one: one.deviations):
            farthest[one.name] = one  # of each quantity that of the recording where it is farthest
        free = dict.fromkeys(UNKNOWN[name] for name in farthest if name in UNKNOWN)
        freeing = listed([f"--nuisance '{nuisance}'" for nuisance in free])
        remedy = f" ({freeing})" if freeing else ""
        yield Finding(
            f"Contradicts what is known beforehand: "
            f"{listed([one.words for one in farthest.values()])}. It stands "
            "for something else, often another spin, wrong lengths or times, impacts that were not "
            "seen or do not rebound straight, and so may all that was found beside it. If it is "
            f"true, make it an unknown of which nothing is known{remedy}.",
            meaningless=True,
        )


class Surprise(NamedTuple):
    """A value far from what is known of it.

    Attributes:
        name: of the parameter.
        deviations: standard deviations from it.
        words: what came out, and of which recording.
    """

    name: str
    deviations: float
    words: str


def _surprising(
    parameters: Sequence[Parameter], coordinates: NDArray, *, of: str = ""
) -> Iterator[Surprise]:
    """Values far from what is known of them. Deviations of impacts are as large as they are found
    to be.
    """
    for one, coordinate in zip(parameters, coordinates, strict=True):
        if not isinstance(one.prior, Normal) or one.name.startswith(DEVIATION):
            continue
        value = float(one.value(coordinate))
        deviations = abs(float(one.prior.residual(value)))
        if deviations > SURPRISING:
            words = _describe(one, one.prior, value, of)
            yield Surprise(one.name, deviations, words)


def _describe(parameter: Parameter, known: Normal, value: float, of: str) -> str:
    unit = "" if parameter.about.unit == "-" else f" {parameter.about.unit}"
    return (
        f"{parameter.about.label}{of} comes out as {two_digits(value)}{unit}, "
        f"{two_digits(abs(value - known.mean) / known.sd)} standard deviations from "
        f"{two_digits(known.mean)} +- {two_digits(known.sd)}"
    )
