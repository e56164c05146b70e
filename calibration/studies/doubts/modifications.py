"""What the automatic fit of trajectories leaves out, and whether the data ask for it.

Each modification is in the problem from the start, kept at the value at which it does nothing. The
derivatives at the minimum then tell what freeing it promises (``calibration.fitting.release``). The
most promising ones are tried in earnest, and the best is adopted where it is innocent: a property
of the camera or of the contact that is commonly there, and that brings no assumption with it.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence

import jax
import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.fitting.assessment import Assessment, assess
from calibration.fitting.release import Release, predict_release, release
from calibration.fitting.solve import lower, minimise_from, solve_from
from calibration.model.free import Derived, Free
from calibration.model.prior import HeavyTailed
from calibration.nuisances import (
    DepthMotion,
    LensDistortion,
    Nuisance,
    PixelAspect,
    RollingShutter,
)
from calibration.optimise.least_squares import Method
from calibration.problem.problem import Problem
from calibration.results.estimate import Estimate
from calibration.results.modification import Decision, TriedModification
from calibration.studies.choices.friction_laws import REBOUNDING, TANGENTIAL
from jaxcontact import Scene
from jaxcontact.parameters import put, quantity

EXPONENT = "contact.normal.velocity_exponent"

CLEAR = 25.0
"""Fall of chi-squared for each further unknown, in units of the misfit that remains, from which on
a modification is clear: five standard errors.
"""

NOTICED = 5.0
"""Standard errors between the heights of bounces from which on they are not at one height."""

PART = 0.3
"""Part of what chi-squared exceeds its degrees of freedom by that makes a modification worth a
name, where the data are not explained.
"""

TRIALS = 3
"""At most so many modifications are tried in earnest before one is adopted."""

ROUNDS = 3
"""At most so many are adopted."""

DEPTH = "motion towards or away from the camera"
SPEED, SPEED_REMEDY = "restitution that depends on speed", "--restitution-law 'power law'"

METHOD: Method = "levenberg_marquardt"
STEPS = 100
"""How minima are sought, and in how many iterations at most."""

AWAY = 1.0
"""Distance of a camera [m]: only velocity over distance shows."""


def set_exponent(scene: Scene, exponent: jax.Array) -> Scene:
    """The scene whose restitution goes with speed to the power of ``-exponent``."""
    return put(scene, EXPONENT, exponent)


FREE_EXPONENT = Derived(
    name=EXPONENT,
    about=quantity(
        unit="-", label="exponent of the fall of the restitution with speed", symbol="q"
    ),
    sets=set_exponent,
    start=0.0,
)
"""The exponent of a power law, of either sign: 0 is a constant restitution."""

LIKELY_EXPONENT = dataclasses.replace(FREE_EXPONENT, prior=HeavyTailed(0.0, 0.05))
"""The same with what is known of balls that bounce: viscoelastic ones have exponents of 0.02 to
0.06 (Ramirez et al., Phys. Rev. E 60 (1999) 4465-4472), adhesion makes them negative, plastic
flow 1/4 (Johnson, Contact Mechanics (1985), section 11.5).
"""


@dataclasses.dataclass(frozen=True)
class Modification:
    """Something that a model of a recording may lack.

    Attributes:
        name: what it is called.
        parameters: names of what it frees.
        innocent: whether it may be adopted without being asked for.
        says: its size and standard error in words.
        remedy: how to ask for it.
        largest: size of its first coordinate that it may have; a linear promise of more is none.
        nuisances, free: what it adds to a problem.
        always: whether it is let free in the end, whatever the data ask for.
    """

    name: str
    parameters: tuple[str, ...]
    innocent: bool
    says: Callable[[float, float], str]
    remedy: str
    largest: float
    nuisances: tuple[Nuisance, ...] = ()
    free: tuple[Derived | Free, ...] = ()
    always: bool = False


def list_modifications(
    *,
    picture: bool,
    planar: bool,
    middle: tuple[float, float],
    reach: float,
    exponent: Derived | None,
    rebound: bool = False,
) -> tuple[Modification, ...]:
    """The modifications that recordings can show.

    Args:
        picture: whether x and z are there.
        planar: whether they come from one camera, without y.
        middle: of what the camera saw (x, z) [m].
        reach: how far from there the centre of the picture may be, a standard deviation [m].
        exponent: of the fall of the restitution with speed, ``None`` where a law has its own: the
            ``LIKELY_EXPONENT``, which is always let free, or the ``FREE_EXPONENT`` where a constant
            restitution was asked for, which is only named.
        rebound: whether contacts that stick may give back slip, which measured spins show.
    """
    found = [
        Modification(
            "rolling shutter",
            ("line_time",),
            True,
            _say_shutter,
            "--nuisance 'rolling shutter'",
            0.1,
            nuisances=(RollingShutter(),),
        )
    ]
    if exponent is not None:
        likely = exponent is LIKELY_EXPONENT
        found.append(
            Modification(
                SPEED,
                (EXPONENT,),
                likely,
                _say_exponent,
                SPEED_REMEDY,
                0.25,
                free=(exponent,),
                always=likely,
            )
        )
    if rebound:
        found.append(
            Modification(
                "slip that comes back",
                (TANGENTIAL,),
                True,
                _say_rebound,
                f"--friction-law '{REBOUNDING}'",
                3.0,
                free=(Free(TANGENTIAL),),
            )
        )
    if picture:
        found.append(
            Modification(
                "pixels that are not square",
                ("pixel_aspect",),
                True,
                _say_aspect,
                "--nuisance 'pixel aspect'",
                0.3,
                nuisances=(PixelAspect(),),
            )
        )
    if picture and planar:
        found.append(
            Modification(
                "distortion of the lens",
                ("lens_distortion", "lens_centre_x", "lens_centre_z"),
                True,
                _say_lens,
                "--nuisance 'lens distortion'",
                0.3 / reach**2,
                nuisances=(LensDistortion(centre=middle, centre_sd=reach),),
            )
        )
        found.append(
            Modification(
                DEPTH,
                ("depth_velocity",),
                False,
                lambda step, sd: "lengths shrink or grow along a recording",
                "let the ball move across the view, or measure its distance from the camera: "
                "--nuisance 'depth motion: distance=1.5'",
                math.inf,
                nuisances=(DepthMotion(distance=AWAY, centre=middle),),
            )
        )
    return tuple(found)


def _say_shutter(step: float, sd: float) -> str:
    return (
        f"a line of the picture is read {1e3 * step:.3g} +- {1e3 * sd:.1g} ms later than one that "
        "lies a metre above it"
    )


def _say_exponent(step: float, sd: float) -> str:
    falls = "falls" if step > 0 else "rises"
    return f"restitution {falls} with speed to the power {abs(step):.3g} +- {sd:.1g}"


def _say_rebound(step: float, sd: float) -> str:
    value = math.tanh(step / 2)
    error = (1 - value**2) * sd / 2
    return f"a tangential restitution of {value:.3g} +- {error:.1g}"


def _say_aspect(step: float, sd: float) -> str:
    percent, word = 100 * math.expm1(step), "short" if step > 0 else "long"
    size = f"{abs(percent):.3g} +- {100 * sd:.1g} %"
    return f"lengths along x are {size} too {word} beside those along z"


def _say_lens(step: float, sd: float) -> str:
    kind = "pincushion" if step > 0 else "barrel"
    return f"a {kind} of {abs(step):.2g} +- {sd:.1g} per square metre"


MODIFIED = tuple(
    name
    for item in list_modifications(
        picture=True,
        planar=True,
        middle=(0.0, 0.0),
        reach=1.0,
        exponent=LIKELY_EXPONENT,
    )
    for name in item.parameters
)
"""Names of the parameters of all modifications."""


@dataclasses.dataclass(frozen=True)
class Modified:
    """What the search for modifications ended with.

    Attributes:
        assessment: of the wide problem, with those free that were adopted.
        adopted: in their order.
        tried: what each promised at the last minimum, and what became of it.
    """

    assessment: Assessment
    adopted: tuple[Modification, ...]
    tried: tuple[TriedModification, ...]


def modify(
    problem: Problem, assessment: Assessment, modifications: Sequence[Modification]
) -> Modified:
    """Adopt the modifications that the data ask for.

    An exponent of the restitution and what a camera does hide each other: a fit that begins with
    one may end far from the data without the other. So those that are always let free are so first
    and last, and the better of both is taken.

    Args:
        problem: in which all of them are, frozen.
        assessment: of its minimum.
        modifications: what may be missing.
    """
    always = [item for item in modifications if item.always]
    others = [item for item in modifications if not item.always]
    freed = let_free(problem, assessment, always)
    ways = [(freed, always)]
    best, adopted = adopt(problem, freed, others)
    ways += [(best, [*always, *adopted])] if adopted else []
    if always:
        best, adopted = adopt(problem, assessment, others)
        ways += [(let_free(problem, best, always), [*adopted, *always])] if adopted else []
    misfit = min(worth(best) for best, _ in ways)
    best, adopted = min(ways, key=lambda way: way[0].chi2 + CLEAR * misfit * len(way[1]))
    tried = tuple(_report(best, item, item in adopted) for item in modifications)
    return Modified(best, tuple(adopted), tried)


def adopt(
    problem: Problem, assessment: Assessment, modifications: Sequence[Modification]
) -> tuple[Assessment, list[Modification]]:
    """The minimum with those free that the data ask for, one after the other."""
    adopted: list[Modification] = []
    for _ in range(ROUNDS):
        left = [item for item in modifications if item not in adopted]
        best = _best(problem, assessment, _promising(assessment, left))
        if best is None:
            break
        modification, assessment = best
        adopted.append(modification)
    return assessment, adopted


def let_free(
    problem: Problem, assessment: Assessment, modifications: Sequence[Modification]
) -> Assessment:
    """The minimum with all of them free."""
    for item in modifications:
        freed = release_from_minimum(problem, assessment, item)
        assessment = lower(freed, release_from_start(problem, assessment, item))
    return assessment


def worth(assessment: Assessment) -> float:
    """Fall of chi-squared that noise of this kind makes of one unknown more, at one standard
    error.
    """
    return max(assessment.misfit, 1.0) * max(assessment.correlation_time, 1.0)


def _promising(
    assessment: Assessment, modifications: Sequence[Modification]
) -> list[tuple[Modification, Release]]:
    """The modifications that may be worth their unknowns, most promising first."""
    promised = [(item, predict_release(assessment, item.parameters)) for item in modifications]
    # What remains of the misfit is smaller afterwards: noise alone is the least that it can be.
    seen = [
        (item, promise)
        for item, promise in promised
        if promise.drop > CLEAR * promise.unknowns and is_possible(item, promise)
    ]
    return sorted(seen, key=lambda pair: -pair[1].drop)[:TRIALS]


def is_clear(assessment: Assessment, promise: Release) -> bool:
    """Whether a modification promises more than noise of this kind does, or a good part of a misfit
    that cannot be noise.
    """
    least = CLEAR * max(promise.unknowns, 1)
    excess = assessment.chi2 - assessment.dof
    much = not assessment.explained and promise.drop > PART * excess
    return promise.drop > least and (much or promise.drop > least * worth(assessment))


def is_possible(modification: Modification, promise: Release) -> bool:
    """Whether a modification may be of the size that is promised of it."""
    return not abs(promise.step) > modification.largest  # several have no step


def _best(
    problem: Problem, assessment: Assessment, promising: Sequence[tuple[Modification, Release]]
) -> tuple[Modification, Assessment] | None:
    """The modification that explains most, tried in earnest, and the fit with it; ``None`` where
    none is clear, or where the best one brings an assumption.
    """
    best: tuple[Modification, Assessment] | None = None
    for modification, promise in promising:
        freed = release_from_minimum(problem, assessment, modification)
        gained = assessment.chi2 - freed.chi2
        clear = gained > CLEAR * promise.unknowns * worth(freed)
        if clear and (best is None or freed.chi2 < best[1].chi2):
            best = modification, freed
    if best is None or not best[0].innocent:
        return None
    modification, freed = best
    freed = lower(freed, release_from_start(problem, assessment, modification))
    # The centre of a lens has no effect as long as there is no distortion: it moves only now.
    return modification, release_from_minimum(problem, freed, modification)


def release_from_minimum(
    problem: Problem, assessment: Assessment, modification: Modification
) -> Assessment:
    """The fit with a modification free, from the minimum without it."""
    start = release(assessment.start, assessment, modification.parameters)
    freed = minimise_from(
        problem,
        start.from_minimum(assessment.minimum),
        method=METHOD,
        steps=STEPS,
        led=True,
        policy=assessment.policy,
    )
    return dataclasses.replace(freed, start=start)


def release_from_start(
    problem: Problem, assessment: Assessment, modification: Modification
) -> Assessment:
    """The fit with a modification free, from where the fit without it began: a model that lacks
    something may have ended where impacts slide that stick in truth.
    """
    start = release(assessment.start, assessment, modification.parameters)
    return solve_from(problem, start, method=METHOD, steps=STEPS, policy=assessment.policy)


def _report(assessment: Assessment, modification: Modification, adopted: bool) -> TriedModification:
    """What became of a modification."""
    promise = predict_release(assessment, modification.parameters)
    if adopted:
        index = assessment.layout.names.index(modification.parameters[0])
        place = int(np.sum(assessment.free[:index]))
        step = float(assessment.minimum.shared[index])
        sd = float(np.sqrt(assessment.covariance[place, place]))
        decision = Decision.ADOPTED
    else:
        step, sd = promise.step, promise.sd * math.sqrt(worth(assessment))
        noticed = is_clear(assessment, promise) and is_possible(modification, promise)
        decision = Decision.NAMED if noticed else Decision.NOT_NEEDED
    return TriedModification(
        modification.name,
        decision,
        promise.drop,
        promise.unknowns,
        modification.says(step, sd),
        modification.remedy,
    )


def narrow(problem: Problem, wide: Assessment) -> tuple[Problem, Assessment]:
    """The minimum of a problem with modifications that were left frozen, as that of the problem
    without them: nothing is computed anew.

    Args:
        problem: without them.
        wide: minimum of the problem with them.

    Returns:
        The problem, simulated by the methods that were used in the end, and its minimum.
    """
    batches = tuple(
        dataclasses.replace(batch, method=used.method)
        for batch, used in zip(problem.layout.batches, wide.layout.batches, strict=True)
    )
    problem = problem.with_layout(dataclasses.replace(problem.layout, batches=batches))
    layout = problem.layout
    shared = [wide.layout.names.index(name) for name in layout.names]
    own = [
        [
            [item.name for item in used.trial_parameters].index(item.name)
            for item in batch.trial_parameters
        ]
        for batch, used in zip(layout.batches, wide.layout.batches, strict=True)
    ]
    start, minimum = wide.start, wide.minimum
    blocks = tuple(
        block._replace(
            by_shared=block.by_shared[..., shared],
            by_local=block.by_local[..., own[g]] if g < len(own) else block.by_local,
        )
        for g, block in enumerate(wide.blocks)
    )

    def pick(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        return tuple(
            np.asarray(column)[..., kept] for column, kept in zip(columns, own, strict=True)
        )

    return problem, assess(
        layout,
        problem.scene,
        problem.data,
        start._replace(
            shared=np.asarray(start.shared)[shared],
            local=pick(start.local),
            frozen=np.asarray(start.frozen)[shared],
            frozen_local=pick(start.frozen_local),
        ),
        minimum._replace(shared=np.asarray(minimum.shared)[shared], local=pick(minimum.local)),
        problem.errors,
        blocks=blocks,
        policy=wide.policy,
    )


def judge_exponent(estimate: Estimate) -> TriedModification:
    """What became of an exponent of the restitution that is always let free: adopted where it is
    five standard errors from 0.

    Args:
        estimate: of the exponent.
    """
    drop = (estimate.value / estimate.sd) ** 2
    decision = Decision.ADOPTED if drop > CLEAR else Decision.NOT_NEEDED
    says = _say_exponent(estimate.value, estimate.sd)
    return TriedModification(SPEED, decision, drop, 1, says, SPEED_REMEDY)


def describe_modifications(tried: Sequence[TriedModification]) -> Iterator[str]:
    """What was adopted, and what the data ask for beyond that, in sentences."""
    for item in tried:
        if item.decision is Decision.ADOPTED:
            yield (
                f"The data ask for {item.name}, and it was let free: {item.says}; "
                f"{item.remedy} has it from the beginning."
            )
    named = sorted(
        (item for item in tried if item.decision is Decision.NAMED), key=lambda item: -item.drop
    )
    for item in named[:2]:
        yield (
            f"The data may ask for {item.name} ({item.says}; chi2 would fall by about "
            f"{item.drop:.3g}): {item.remedy}."
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
            "surface slopes, or the camera is turned or distorts. Record the sideways position, "
            "too (a column x): then the fit finds the slope."
        )
