"""What a fit says of its contact, in the words in which it is handed over: restitution at a speed
and friction, each with its interval, and what else was fitted.
"""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.predictions import impact_speeds
from calibration.fitting.shown.fitted_scene import fitted_scene, normal_speeds
from calibration.io.impact_table import ImpactTable
from calibration.nuisances import PerTrial
from calibration.problem.bodies import count_bodies
from calibration.problem.problem import Problem
from calibration.programs.target import Target
from calibration.results.estimate import Determination
from calibration.results.numbers import plain
from calibration.results.result import Fit
from calibration.uncertainty.covariance_draws import draw_from_covariance
from calibration.uncertainty.prediction import ScenePrediction, band_from_covariance
from calibration.uncertainty.profile import assessment_of
from jaxcontact.parameters import declared_parameters

CONTACT = "contact."
"""How the paths of the parameters of a contact begin in a scene."""

STIFFNESS = "contact.normal.stiffness"
RESTITUTION = "contact.normal.restitution"
FRICTION = "contact.friction.coefficient"
TANGENTIAL = "contact.friction.tangential_restitution"
"""Paths in a scene."""

DERIVED_STIFFNESSES = ("contact_duration", "youngs_modulus", "poisson_ratio")
"""Quantities that a fit may have found in the place of the stiffness (``calibration.derived``)."""

LEVEL = 0.95
"""Probability of the intervals."""

SMALLEST = 1e-12
"""Distance from 0 and 1 at which a restitution has a logistic coordinate, and friction a logarithm.
"""


class NotDetermined(InputError):
    """The data do not determine what is to be exported.

    Example:
        >>> issubclass(cal.programs.NotDetermined, cal.InputError)
        True
    """


class Interval(NamedTuple):
    """A value with the interval that covers the truth with a probability of 95 %.

    Attributes:
        value: best value.
        low: lower end; the value itself where it is not of the fit.
        high: upper end.

    Example:
        >>> print(cal.programs.Interval(0.8, 0.79, 0.81))
        0.8 (0.79 to 0.81)
    """

    value: float
    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether it has an interval."""
        return self.low < self.high

    def __str__(self) -> str:
        """``0.9051 (0.8933 to 0.9162)``."""
        if not self.known:
            return plain(self.value)
        return f"{plain(self.value)} ({self.low:.4g} to {self.high:.4g})"


@dataclasses.dataclass(frozen=True)
class FittedContact:
    """The contact of a fit.

    Attributes:
        target: what a contact in another program is to obtain.
        restitution: at the speed of the target.
        slowest: restitution at the slowest impact that was measured.
        fastest: restitution at the fastest impact that was measured.
        speeds: of these two [m/s].
        friction: of sliding.
        stiffness: one sentence, what is known of it.
        warnings: what the fit says of the contact and is not in the target.
        drawn: targets drawn from the covariance of the fit.
    """

    target: Target
    restitution: Interval
    slowest: Interval
    fastest: Interval
    speeds: tuple[float, float]
    friction: Interval
    stiffness: str
    warnings: tuple[str, ...] = ()
    drawn: tuple[Target, ...] = ()


def fitted_contact(
    fit: Fit,
    *,
    speed: float | None = None,
    friction: float | None = None,
    contact_time: float | None = None,
    draws: int = 0,
    seed: int = 0,
) -> FittedContact:
    """Read the contact off a fit.

    Args:
        fit: with its problem.
        speed: of the impact at which the restitution is taken [m/s]; by default the median of those
            that were measured.
        friction: coefficient, where it is not that of the fit [-].
        contact_time: of an undamped contact at this speed [s], where it is not that of the fit.
        draws: how many further targets are drawn from the covariance.
        seed: of the draws.

    Raises:
        NotDetermined: the fit is in doubt, or its data do not determine restitution or friction.
        InputError: a fit of no impacts, of several contacts, or of a contact that has no
            such parameters.
    """
    _check_trusted(fit)
    assessment = assessment_of(fit, caller="export")
    problem: Problem = fit.problem
    _check_one_contact(problem)
    scene = fitted_scene(assessment)
    bodies = _bodies_of(scene)
    speeds = speeds_of(fit)
    if not speeds.size and speed is None:
        raise InputError(
            "export: no impacts were measured, so the restitution has no speed",
            remedy="Give speed, in m/s.",
        )
    measured = speeds if speeds.size else np.asarray([speed])
    ends = float(np.min(measured)), float(np.max(measured))
    at = float(np.median(measured)) if speed is None else speed
    # What is asked for is checked before it is asked of the scene.
    target = Target(
        restitution=1.0,
        friction=0.0 if friction is None else friction,
        speed=at,
        fastest=max(ends[1], at),
        contact_time=contact_time,
        **bodies,
    )
    has_friction = FRICTION in _paths(scene)
    if friction is None and not has_friction and not isinstance(_friction_of(scene), jc.NoFriction):
        raise InputError(
            f"export: the friction law {type(_friction_of(scene)).__name__} has no coefficient of "
            "sliding",
            remedy="Give friction, the coefficient to export.",
        )
    coordinates = _coordinates(
        (at, *ends), target.effective_mass, friction=friction is None and has_friction
    )
    with jax.enable_x64(True):
        asked = ScenePrediction(coordinates)
        mean, slopes = asked.traced(assessment)
        band = band_from_covariance(fit, assessment, asked, mean, slopes, None, None, LEVEL)
    ends_of_bands = (_uncoordinated(part) for part in (band.mean, band.low, band.high))
    values = [Interval(*own) for own in zip(*ends_of_bands, strict=True)]
    _check_determined(fit, band.sd, friction_asked=friction is None and has_friction)
    restitution, slowest, fastest, sliding = values
    if friction is not None or not has_friction:
        sliding = Interval(target.friction, target.friction, target.friction)
    known_time, stiffness = _stiffness_of(fit, scene, target)
    target = dataclasses.replace(
        target, restitution=restitution.value, friction=sliding.value, contact_time=known_time
    )
    drawn: tuple[Target, ...] = ()
    if draws:
        with jax.enable_x64(True):
            sets = asked.at(assessment, draw_from_covariance(fit, draws, seed=seed))
        drawn = tuple(
            dataclasses.replace(
                target,
                restitution=e,
                friction=mu if sliding.known else sliding.value,
            )
            for e, _, _, mu in map(_uncoordinated, sets)
        )
    return FittedContact(
        target=target,
        restitution=restitution,
        slowest=slowest,
        fastest=fastest,
        speeds=ends,
        friction=sliding,
        stiffness=stiffness,
        warnings=tuple(
            _warnings(scene, restitution, slowest, fastest, ends, at, friction, speeds.size > 0)
        ),
        drawn=drawn,
    )


def _check_trusted(fit: Fit) -> None:
    if fit.doubt is not None:
        why = f": {fit.warnings[0]}" if fit.warnings else ""
        raise NotDetermined(
            f"export: the fit is {fit.doubt.value}, nothing of it is to be used{why}",
            remedy="Mend the fit first.",
        )


def _check_one_contact(problem: Problem) -> None:
    for batch in problem.layout.batches:
        for own in batch.own:
            if isinstance(own, PerTrial) and own.free.path.startswith(CONTACT):
                raise InputError(
                    f"export: {own.free.path} differs from trial to trial, so there is no one "
                    "contact to export",
                    remedy="Fit the trials of one contact, or leave each=True out.",
                )
    if not isinstance(problem.scene.contact, jc.ContactModel):
        raise InputError(
            f"export: the fit is of {type(problem.scene.contact).__name__}, whose parameters are "
            "those of its program already",
            remedy="Take them as they are, or fit a ContactModel to export it to another program.",
        )


def _bodies_of(scene: jc.Scene) -> dict[str, Any]:
    """Radii and masses, by the names that ``Target`` has."""
    if not isinstance(scene.bodies, jc.Spheres) or count_bodies(scene) > 2:
        raise InputError(
            "export: the fit is not of one sphere or of two",
            remedy="Contacts of clumps and of many bodies are not exported.",
        )
    count = count_bodies(scene)
    radius, mass = (
        np.broadcast_to(np.asarray(part, dtype=float), count)
        for part in (scene.bodies.radius, scene.bodies.mass)
    )
    found = {"radius": float(radius[0]), "mass": float(mass[0])}
    if count == 2:
        found |= {"partner_radius": float(radius[1]), "partner_mass": float(mass[1])}
    return found


def _friction_of(scene: jc.Scene) -> Any:
    contact = scene.contact
    assert isinstance(contact, jc.ContactModel)  # see ``_check_one_contact``
    return contact.friction


def _paths(scene: jc.Scene) -> dict[str, Any]:
    """Values of the parameters of a scene by their paths."""
    return {path: value for path, value, _ in declared_parameters(scene)}


def speeds_of(fit: Fit) -> np.ndarray:
    """Speeds along the normal of the impacts of a fit: measured ones of tables, else as fitted
    [m/s].

    Args:
        fit: with its problem.
    """
    tables = [normal_speeds(one) for one in fit.problem.trials if isinstance(one, ImpactTable)]
    speeds = np.concatenate([*tables, impact_speeds(fit.problem, fit.assessment)])
    return speeds[np.isfinite(speeds) & (speeds > 0)]


def _coordinates(
    speeds: tuple[float, ...], mass: float, *, friction: bool
) -> Callable[[jc.Scene], jax.Array]:
    """Restitutions at the speeds and friction, in coordinates in which their errors are most nearly
    normal: logistic and logarithm.
    """

    def coordinates(scene: jc.Scene) -> jax.Array:
        contact: Any = scene.contact
        e = jnp.clip(
            jnp.stack([contact.normal.restitution_at(v, mass=mass) for v in jnp.asarray(speeds)]),
            SMALLEST,
            1 - SMALLEST,
        )
        mu = contact.friction.coefficient if friction else 1.0
        logarithm = jnp.log(jnp.maximum(jnp.asarray(mu, dtype=float), SMALLEST))
        return jnp.append(jnp.log(e / (1 - e)), logarithm)

    return coordinates


def _uncoordinated(given: np.ndarray) -> tuple[float, ...]:
    """Restitutions and friction of their coordinates."""
    *logits, logarithm = np.asarray(given, dtype=float)
    with np.errstate(over="ignore"):
        return (*(float(1 / (1 + np.exp(-logit))) for logit in logits), float(np.exp(logarithm)))


def _check_determined(fit: Fit, sd: np.ndarray, *, friction_asked: bool) -> None:
    """Raise where the data leave restitution or friction open: its error is infinite, or what it
    follows from was found not to be determined and is only held somewhere.
    """
    normal = [name for name in fit.parameters if name.startswith("contact.normal.")]
    asked = {"restitution": (sd[0], [RESTITUTION] if RESTITUTION in normal else normal)}
    if friction_asked:
        asked["friction"] = (sd[-1], [FRICTION])
    for name, (own, paths) in asked.items():
        estimates = [fit.parameters[path] for path in paths if path in fit.parameters]
        known = (Determination.DETERMINED, Determination.FIXED)
        open_ = [
            estimate
            for estimate in estimates
            if estimate.status not in known and estimate.name != STIFFNESS
        ]
        if np.isfinite(own) and not open_:
            continue
        said = open_[0].status.value if open_ else Determination.NOT_DETERMINED.value
        note = f" ({open_[0].note})" if open_ and open_[0].note else ""
        remedy = "Measure what shows it: jaxcontact design says how."
        if name == "friction":
            remedy = f"Give a value of your own, friction. {remedy}"
        raise NotDetermined(f"export: the {name} of the fit is {said}{note}", remedy=remedy)


def _stiffness_of(fit: Fit, scene: jc.Scene, target: Target) -> tuple[float | None, str]:
    """The contact time of the target, and where it comes from."""
    if target.contact_time is not None:
        return target.contact_time, "The contact time was given for this export."
    names = (STIFFNESS, *DERIVED_STIFFNESSES)
    measured = [
        fit.parameters[name]
        for name in names
        if name in fit.parameters and fit.parameters[name].status is Determination.DETERMINED
    ]
    normal = _normal_of(scene)
    elastic = (jc.HuntCrossley, jc.PowerLawHuntCrossley, jc.LinearDashpot, jc.TsujiDashpot)
    if measured and isinstance(normal, elastic):
        from calibration.derived import ContactDuration

        with jax.enable_x64(True):
            alone = dataclasses.replace(
                scene, bodies=jc.spheres(radius=target.radius, mass=target.effective_mass)
            )
            duration = ContactDuration(speed=target.speed).value_in(alone)
        return (
            float(np.ravel(np.asarray(duration))[0]),
            f"The contact time is that of the {measured[0].label} that was measured.",
        )
    return None, (
        "The stiffness was not measured. It is chosen, so that the largest overlap is 1 % of the "
        f"radius at {target.fastest:.3g} m/s, the fastest impact; give a contact time for another."
    )


def _normal_of(scene: jc.Scene) -> Any:
    contact = scene.contact
    assert isinstance(contact, jc.ContactModel)  # see ``_check_one_contact``
    return contact.normal


def _warnings(
    scene: jc.Scene,
    restitution: Interval,
    slowest: Interval,
    fastest: Interval,
    ends: tuple[float, float],
    speed: float,
    friction: float | None,
    measured: bool,
) -> Iterator[str]:
    """What the fit says of the contact, and a constant restitution and friction do not."""
    contact: Any = scene.contact
    paths = _paths(scene)
    reach = max((restitution.high - restitution.low) / 2, 1e-3)
    if measured and abs(slowest.value - fastest.value) > reach:
        yield (
            f"The restitution of the fit depends on the speed: {slowest} at {ends[0]:.3g} m/s, "
            f"{fastest} at {ends[1]:.3g} m/s. The program has the one at {speed:.3g} m/s at all "
            "speeds."
        )
    if measured and not ends[0] <= speed <= ends[1]:
        yield (
            f"No impact was measured at {speed:.3g} m/s, only at {ends[0]:.3g} to {ends[1]:.3g} "
            "m/s: the restitution is extrapolated."
        )
    if friction is None and FRICTION not in paths:
        yield (
            "The fit has no friction, so it is 0 here. Give a coefficient, or measure oblique "
            "impacts."
        )
    beta = float(np.ravel(np.asarray(paths.get(TANGENTIAL, 0.0)))[0])
    if beta:
        yield (
            f"The tangential restitution of the fit, {beta:.3g} in impacts that stick, has no "
            "parameter in the program."
        )
    further = sorted(
        path.rpartition(".")[2]
        for path in paths
        if path.startswith("contact.friction.")
        and path not in (FRICTION, TANGENTIAL)
        and not path.endswith(".slip_velocity")
    )
    if further and friction is None:
        yield (
            f"Of the friction law {type(contact.friction).__name__} only the coefficient is "
            f"exported, not {', '.join(further)}."
        )
    for name, law in (("rolling", contact.rolling), ("spinning", contact.spinning)):
        if law is not None:
            yield f"The {name} resistance of the fit is not exported."
