"""What was found and contradicts what is known beforehand: the table is not steep, lengths are not
short by half. One such number hardly shows in chi-squared beside a thousand samples.
"""

from collections.abc import Iterator, Sequence

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


def contradicts_knowledge(fit: Fit) -> Iterator[Finding]:
    """A finding on parameters that came out far from what is known of them beforehand: they stand
    for something that the model lacks, and what was found beside them does, too.

    Args:
        fit: of trajectories.
    """
    found = fit.assessment
    if found is None:  # a result that was read from a file
        return
    layout, minimum = found.layout, found.minimum
    surprising = _surprising(layout.global_parameters, minimum.shared)
    for batch, local in zip(layout.batches, minimum.local, strict=True):
        for own in local:
            surprising |= _surprising(batch.trial_parameters, own)
    if surprising:
        yield Finding(
            f"Contradicts what is known beforehand: {listed(list(surprising.values()))}. It stands "
            "for something else, often another spin, wrong lengths or times, or an impact that was "
            "not seen, and so may all that was found beside it. If it is true, make it an unknown "
            "of which nothing is known (--nuisance 'surface tilt: towards=x', say).",
            meaningless=True,
        )


def _surprising(parameters: Sequence[Parameter], coordinates: NDArray) -> dict[str, str]:
    """Values far from what is known of them, in words, by name. Deviations of impacts are as large
    as they are found to be.
    """
    return {
        one.name: _describe(one, one.prior, float(one.value(coordinate)))
        for one, coordinate in zip(parameters, coordinates, strict=True)
        if isinstance(one.prior, Normal)
        and not one.name.startswith(DEVIATION)
        and abs(float(one.prior.residual(one.value(coordinate)))) > SURPRISING
    }


def _describe(parameter: Parameter, known: Normal, value: float) -> str:
    unit = "" if parameter.about.unit == "-" else f" {parameter.about.unit}"
    return (
        f"{parameter.about.label} comes out as {two_digits(value)}{unit}, "
        f"{two_digits(abs(value - known.mean) / known.sd)} standard deviations from "
        f"{two_digits(known.mean)} +- {two_digits(known.sd)}"
    )
