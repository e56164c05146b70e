"""What a recording leaves open: something that cameras and balls commonly do and that nobody looked
at, unknown within what they do.

All of it is free from the beginning, under a prior that says how large it usually is, so that every
interval holds what it may have done. To let free only what the data ask for would be sharper and
wrong: effects too small to be seen, or seen as one another, bend drag and restitution by many
standard errors.

Source: on inference after selection, Leeb and Poetscher, Econometric Theory 21 (2005) 21-59; on
systematic effects as quantities with a distribution, JCGM 100 (GUM), 4.3 and F.2.4.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.fitting.assessment import Assessment
from calibration.fitting.release import predict_release
from calibration.model.free import Free
from calibration.nuisances import Nuisance
from calibration.results.estimate import Estimate
from calibration.results.modification import Decision, TriedModification
from calibration.results.numbers import listed

CLEAR = 25.0
"""Chi-squared that an effect accounts for, in units of the misfit that remains, from which on it is
clear: five standard errors.
"""

NOTICED = 5.0
"""Standard errors between the heights of bounces from which on they are not at one height."""

PART = 0.3
"""Part of what chi-squared exceeds its degrees of freedom by that makes an effect worth a name,
where the data are not explained.
"""


@dataclasses.dataclass(frozen=True)
class Doubt:
    """Something that a recording leaves open.

    Attributes:
        name: what it is called.
        effects: names of the parameters that tell how large it is.
        says: the size of the first effect and its standard error in words.
        remedy: how to ask for it.
        largest: deviation of the first effect from nothing that it may have.
        nothing: value of the effects at which it does nothing.
        nuisances, free: what it adds to a problem.
        of_camera: whether a calibrated camera does not have it.
        open: whether it is free; else it is kept at nothing, and only looked for.
    """

    name: str
    effects: tuple[str, ...]
    says: Callable[[float, float], str]
    remedy: str
    largest: float
    nothing: float = 0.0
    nuisances: tuple[Nuisance, ...] = ()
    free: tuple[Free, ...] = ()
    of_camera: bool = True
    open: bool = True

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all parameters that it brings."""
        own = (one.name for item in self.nuisances for one in item.parameters((0, 1, 2)))
        return (*own, *(item.path for item in self.free))


def judge_doubt(doubt: Doubt, estimates: Sequence[Mapping[str, Estimate]]) -> TriedModification:
    """What became of a doubt that was free: adopted where any of its effects is five standard
    errors from nothing, implausible where it is larger than there is.

    Args:
        doubt: in question.
        estimates: of what all recordings share, and of what each has of its own.
    """

    def drop(estimate: Estimate) -> float:
        return float(((estimate.value - doubt.nothing) / estimate.sd) ** 2)

    found = [one[name] for name in doubt.effects for one in estimates if name in one]
    if not found:
        return TriedModification(
            doubt.name, Decision.NOT_NEEDED, 0.0, 0, "its value was given", doubt.remedy
        )
    largest = max(map(drop, found))
    decision = Decision.ADOPTED if largest > CLEAR else Decision.NOT_NEEDED
    said = max((one for one in found if one.name == found[0].name), key=drop)
    if abs(said.value - doubt.nothing) > doubt.largest and decision is Decision.ADOPTED:
        decision = Decision.IMPLAUSIBLE
    return TriedModification(
        doubt.name,
        decision,
        largest,
        len(found),
        doubt.says(said.value, said.sd),
        doubt.remedy,
    )


def look_for(doubt: Doubt, assessment: Assessment) -> TriedModification:
    """What a doubt promises that was kept at nothing: named where that is more than noise of this
    kind does, or a good part of a misfit that cannot be noise.

    Args:
        doubt: in question.
        assessment: of the minimum.
    """
    promise = predict_release(assessment, doubt.effects)
    least, worth = CLEAR * max(promise.unknowns, 1), _worth(assessment)
    excess = assessment.chi2 - assessment.dof
    much = not assessment.explained and promise.drop > PART * excess
    clear = promise.drop > least and (much or promise.drop > least * worth)
    return TriedModification(
        doubt.name,
        Decision.NAMED if clear else Decision.NOT_NEEDED,
        promise.drop,
        promise.unknowns,
        doubt.says(promise.step, promise.sd * worth**0.5),
        doubt.remedy,
    )


def _worth(assessment: Assessment) -> float:
    """Fall of chi-squared that noise of this kind makes of one unknown more, at one standard
    error.
    """
    return max(assessment.misfit, 1.0) * max(assessment.correlation_time, 1.0)


def describe_doubts(doubts: Sequence[Doubt], judged: Sequence[TriedModification]) -> Iterator[str]:
    """What the data show, and what they may ask for, in sentences.

    Args:
        doubts: all.
        judged: what became of each.
    """
    for doubt, item in zip(doubts, judged, strict=True):
        if item.decision is Decision.ADOPTED and doubt.of_camera:
            yield f"The data show {item.name}, which the fit takes into account: {item.says}."
        elif item.decision is Decision.ADOPTED:
            yield f"The data show {item.name}: {item.says}; {item.remedy} has it as a law."
        elif item.decision is Decision.NAMED:
            yield (
                f"The data may ask for {item.name} ({item.says}; chi2 would fall by about "
                f"{item.drop:.3g}): {item.remedy}."
            )


def describe_camera(doubts: Sequence[Doubt], judged: Sequence[TriedModification]) -> Iterator[str]:
    """What was left open of a camera that shows nothing of it, in a sentence.

    Args:
        doubts: all.
        judged: what became of each.
    """
    names = [
        item.name
        for doubt, item in zip(doubts, judged, strict=True)
        if doubt.of_camera and doubt.open and item.decision is Decision.NOT_NEEDED
    ]
    if names:
        yield (
            f"Left open within what cameras do, though nothing shows: {listed(names)}. Where the "
            "camera is calibrated, --camera calibrated makes intervals narrower."
        )


def describe_heights(detections: Sequence[DetectedBounces]) -> Iterator[str]:
    """That bounces lie at different heights, where nothing sideways tells why."""
    apart = []
    for detected in detections:
        heights = [bounce.height for bounce in detected.bounces]
        error = max(bounce.height_sd for bounce in detected.bounces)
        if np.ptp(heights) > NOTICED * error:
            apart.append(float(np.ptp(heights)))
    if apart:
        yield (
            f"Bounces of one recording lie up to {1e3 * max(apart):.2g} mm apart in height: the "
            "surface slopes, the camera is turned or distorts, or the ball is soft. Record the "
            "sideways position, too (a column x): then the fit finds the slope."
        )
