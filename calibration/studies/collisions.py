"""From recordings of two bodies to restitution and friction between them.

The rules, in the order in which they are applied:

1. Each file is one collision. Both bodies move freely before and after it: on straight lines where
   gravity is 0, else on parabolas, without air. Where they began is found in each trial.
2. Friction is found where a collision is oblique, or where its impulse is. In a motion along one
   line there is none.
3. Only the sum of both spins, each times its radius, acts at the contact. Where spins were
   measured, those before the collision are found. Where they were not, any impulse below the limit
   of friction has a spin that explains it: the contact then sticks, with an unknown spin of the
   first body, and friction is reported as a lower limit. Bodies that do not spin before the
   collision must be said not to (``spin = false``).
4. The contact of another program, where one is named, takes the place of these laws: its parameters
   that are free are found, from the values that the study gives.
"""

import dataclasses
import math
from collections.abc import Iterator, Sequence
from pathlib import Path as FilePath
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

import jaxcontact as jc
from calibration.detection.collision import DetectedCollision, detect_collision
from calibration.errors import InputError
from calibration.fitting.fit import fit
from calibration.io.files import make_distinct_names
from calibration.io.headers import Header
from calibration.io.two_bodies import TwoBodies, is_of_two_bodies, read_two_bodies
from calibration.measurements import Measurement, OfBody, Path, Spins
from calibration.model.free import Free
from calibration.nuisances import InitialStates, Nuisance
from calibration.problem.problem import Problem
from calibration.problem.simulation_method import SPARE
from calibration.problem.trial import Trial
from calibration.results.estimate import Determination, Estimate
from calibration.results.numbers import value_and_sd
from calibration.results.result import Fit
from calibration.studies.asked.files import check_known_to_kind
from calibration.studies.asked.problem import make_problem
from calibration.studies.choices.friction_laws import FRICTION
from calibration.studies.contact import named_contact
from calibration.studies.file_kind import FileKind, Say
from calibration.studies.file_report import FileReport
from calibration.studies.recording_remarks import unused_columns
from calibration.studies.scene import (
    free_of_friction,
    free_of_normal_law,
    has_rigid_impacts,
    make_contact,
)
from calibration.studies.study import CONSTANT, ReadingOptions, Study
from calibration.studies.tables import OBLIQUE
from jaxcontact.laws import PairContact
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.parameters import put
from jaxcontact.scene.bodies import SOLID_DISC, SOLID_SPHERE, THIN_SHELL

AXES = "xyz"

LEAST_SCATTER = 1e-4
"""Scatter of spins, relative to the largest, below which none is believed."""

NORMAL_SCATTER, FAR = 1.4826, 5.0
"""Standard deviation over the median of absolute deviations; how many of it are too far."""

GUESSED_RESTITUTION = 0.8
"""Where one body is not seen after a collision."""

STICKS = 1.0
"""Least friction coefficient with which a contact that is to stick does, whatever the impulse."""

SEEN, LEAST_RATIO = 3.0, 0.02
"""Standard deviations, and least value, from which on a tangential impulse is there."""

DOUBTFUL_MASSES, LEAST_DOUBT = 4.0, 0.01
"""Standard deviations, and part, by which masses must differ from those that were given."""

LEAST_OFF = 0.02
"""Part of the sum of the radii from which on another distance of the centres is remarked."""

LEAST_SLOWING = 0.02
"""Part of the approach speed that a body must lose by its slowing to be remarked."""


class Collision(NamedTuple):
    """A recorded collision.

    Attributes:
        recorded: both bodies.
        detected: what their paths show.
        spins: of each body where they were measured, as spins or as angles.
    """

    recorded: TwoBodies
    detected: DetectedCollision
    spins: tuple[Spins | None, Spins | None]


class Collisions(FileKind):
    """Positions of two bodies against time: one collision between free motions."""

    name: ClassVar[str] = "a recording of two bodies"
    comparable: ClassVar[bool] = True
    bodies: ClassVar[int] = 2

    def recognises(self, path: str, headers: Sequence[Header]) -> bool:
        """Whether there are positions of numbered bodies."""
        return is_of_two_bodies(headers)

    def problem(self, study: Study, reports: Sequence[FileReport] = ()) -> Problem:
        """All collisions, with one restitution and one friction coefficient."""
        return collisions_problem(study, visible_physics(study, read_collisions(study)))

    def fit(self, study: Study, *, progress: Say) -> Fit:
        """Fit all collisions; the rules are those of this module."""
        visible = visible_physics(study, read_collisions(study))
        count = len(visible.collisions)
        progress(f"Fitting {count} collision{'s' if count != 1 else ''}")
        found = fit(
            collisions_problem(study, visible), method=study.fit.method, steps=study.fit.steps
        )
        known = FRICTION in (study.model.parameters or {})
        if visible.confounded and not known and FRICTION in free_of_friction(study):
            limited = {FRICTION: friction_limit(visible.collisions)}
            found = dataclasses.replace(found, parameters={**found.parameters, **limited})
        return dataclasses.replace(
            found,
            warnings=(*doubts_of_input(study, visible), *found.warnings, *notes(study, visible)),
        )

    def inspect(
        self,
        path: str,
        name: str,
        *,
        radius: float,
        options: ReadingOptions,
        gravity: float,
        partner_radius: float | None = None,
    ) -> FileReport:
        """Both paths and their collision."""
        assert partner_radius is not None  # see ``check_bodies``
        found = read_collision(
            path, name, radii=(radius, partner_radius), options=options, gravity=gravity
        )
        return FileReport(
            path=path,
            name=name,
            bodies=found.recorded.bodies,
            collision=found.detected,
            spins=are_measured(found),
            remarks=tuple(remarks(found, (radius, partner_radius))),
        )


# Reading


def read_collisions(study: Study) -> list[Collision]:
    """The collisions in the files of a study.

    Raises:
        InputError: what is wrong with a file; a file with other axes or without the spins of the
            others.
    """
    assert study.partner.radius is not None  # see ``check_bodies``
    found = [
        read_collision(
            path,
            name,
            radii=(study.one_ball.radius, study.partner.radius),
            options=study.reading,
            gravity=study.model.gravity,
        )
        for path, name in zip(
            study.files, make_distinct_names([FilePath(file) for file in study.files]), strict=True
        )
    ]
    first = found[0]
    for other in found[1:]:
        if other.recorded.axes != first.recorded.axes:
            raise InputError(
                f"this file has positions along {', '.join(other.recorded.axes)}, the first one "
                f"along {', '.join(first.recorded.axes)}",
                remedy="Fit files with the same coordinates together.",
                path=other.recorded.path,
            )
        if are_measured(other) != are_measured(first):
            raise InputError(
                "the spins of both bodies are measured in some files, and not in others",
                remedy="Fit files with spins and files without them apart.",
                path=other.recorded.path,
            )
    return found


def read_collision(
    path: str, name: str, *, radii: tuple[float, float], options: ReadingOptions, gravity: float
) -> Collision:
    """The collision in a file.

    Args:
        path: of the file.
        name: of the trial.
        radii: of both bodies [m].
        options: how to read it.
        gravity: acceleration of free fall [m/s^2].

    Raises:
        InputError: what is wrong with the file, and what to do.
    """
    own = options.of(path)
    if gravity == 0 and own.vertical is not None:
        raise InputError(
            f"vertical = {own.vertical!r} has no meaning where gravity is 0",
            remedy="Leave --vertical out, or give the gravity.",
            path=path,
        )
    recorded = read_two_bodies(
        path,
        name=name,
        columns=own.columns,
        scale=own.scale,
        frame_rate=own.frame_rate,
        vertical=own.vertical,
        sigma=own.sigma,
        level=gravity == 0,
        interval=options.interval_of(path),
    )
    detected = detect_collision(
        recorded.time, recorded.position, radii=radii, gravity=gravity, path=path
    )
    first, second = (spins_of(recorded, detected, body) for body in (0, 1))
    return Collision(recorded, detected, (first, second))


def spin_axes(recorded: TwoBodies) -> str:
    """The axes about which a spin acts on the motion that was recorded: of a motion in a plane its
    normal, of one along a line none.
    """
    if len(recorded.axes) == 3:
        return AXES
    return "" if len(recorded.axes) == 1 else "".join(set(AXES) - set(recorded.axes))


def spins_of(recorded: TwoBodies, detected: DetectedCollision, body: int) -> Spins | None:
    """The spins of a body: as they were measured, or from the angles of a mark before and after the
    collision, which change evenly. ``None`` where they do not tell all that acts.
    """
    axes = [AXES.index(axis) for axis in spin_axes(recorded)]
    if not axes:
        return None
    spin, angle = recorded.spin[:, body], recorded.angle[:, body]
    if np.isfinite(spin[:, axes]).any(axis=0).all():
        kept = np.full_like(spin, np.nan)
        kept[:, axes] = spin[:, axes]
        given = recorded.spin_sigma
        sigma = _scatter(recorded.time, kept, detected) if given is None else given[:, body]
        sigma = np.where(np.isfinite(kept), sigma, 1.0)
        return Spins(recorded.time, kept, sigma=sigma, path=recorded.path)
    if len(axes) > 1 or not np.isfinite(angle).any():
        return None
    return _spins_of_angles(recorded, detected, body, axes[0])


def _scatter(
    time: NDArray[np.float64], spin: NDArray[np.float64], detected: DetectedCollision
) -> NDArray[np.float64]:
    """Standard deviation of the spins about their means before and after the collision, for each
    component (3,) [rad/s].
    """
    squares, freedom = np.zeros(3), np.zeros(3)
    seen = np.where(np.isfinite(spin).any(axis=0), spin, 0.0)
    for part in (seen[time < detected.touch], seen[time > detected.touch]):
        if not np.isfinite(part).any(axis=0).all():
            continue
        off = np.abs(part - np.nanmedian(part, axis=0))
        # Samples of the contact, which lasts, and those beside a touch that is not known to the
        # last digit are of neither flight.
        flown = off <= FAR * NORMAL_SCATTER * np.nanmedian(off, axis=0)
        count = flown.sum(axis=0)
        left = np.where(flown, part, 0.0)
        left = np.where(flown, left - left.sum(axis=0) / np.maximum(count, 1), 0.0)
        squares, freedom = squares + (left**2).sum(axis=0), freedom + np.maximum(count - 1, 0)
    least = LEAST_SCATTER * np.max(np.abs(np.nan_to_num(spin)), initial=1e-3)
    return np.maximum(np.sqrt(squares / np.maximum(freedom, 1)), least)


def _spins_of_angles(
    recorded: TwoBodies, detected: DetectedCollision, body: int, axis: int
) -> Spins | None:
    """Slopes of the angle before and after the collision, each at the middle of its samples."""
    seen = np.isfinite(recorded.angle[:, body])
    time, angle = recorded.time[seen], np.unwrap(recorded.angle[seen, body])
    rows, misfits, freedom = [], 0.0, 0
    for part in (time < detected.touch, time > detected.touch):
        if part.sum() < 3:
            continue
        centred = time[part] - time[part].mean()
        spread = float(centred @ centred)
        slope = float(centred @ angle[part]) / spread
        left = angle[part] - angle[part].mean() - slope * centred
        misfits, freedom = misfits + float(left @ left), freedom + int(part.sum()) - 2
        rows.append((float(time[part].mean()), slope, spread))
    if not rows:
        return None
    noise = math.sqrt(misfits / freedom)
    spin, sigma = (np.full((len(rows), 3), np.nan), np.ones((len(rows), 3)))
    spin[:, axis] = [slope for _, slope, _ in rows]
    sigma[:, axis] = [max(noise / math.sqrt(spread), 1e-9) for _, _, spread in rows]
    return Spins([moment for moment, _, _ in rows], spin, sigma=sigma, path=recorded.path)


def are_measured(collision: Collision) -> bool:
    """Whether the spins of both bodies were measured."""
    return None not in collision.spins


# What the files show


class VisiblePhysics(NamedTuple):
    """What the collisions of a study show at first sight.

    Attributes:
        collisions: all of them.
        friction: whether there is any.
        spin: whether the bodies may spin before the collision.
        measured: whether their spins were measured.
    """

    collisions: list[Collision]
    friction: bool
    spin: bool
    measured: bool

    @property
    def confounded(self) -> bool:
        """Whether an unknown spin can take the place of friction."""
        return self.friction and self.spin and not self.measured


def visible_physics(study: Study, collisions: list[Collision]) -> VisiblePhysics:
    """Decide what the collisions of a study can tell.

    Raises:
        InputError: the study asks for what such files do not know.
    """
    check_choices(study)
    first, model = collisions[0], study.model
    along_a_line, measured = not spin_axes(first.recorded), are_measured(first)
    if along_a_line and model.friction is True:
        raise InputError(
            "friction does not show in a motion along one line",
            remedy="Give two coordinates of each body, or leave --friction out.",
            path=first.recorded.path,
        )
    if measured and model.spin is False:
        raise InputError(
            "spin = false says that the bodies do not spin before the collision, but their spins "
            "are measured",
            remedy="Leave --no-spin out.",
            path=first.recorded.path,
        )
    friction = (
        not along_a_line and any(is_oblique(study, collision) for collision in collisions)
        if model.friction == "automatic"
        else bool(model.friction)
    )
    if study.contact.given:
        friction = not along_a_line
    spin = not along_a_line and friction and model.spin is not False
    if study.contact.given and spin and not measured:
        raise InputError(
            f"the spins of both bodies are not measured, and {study.contact.model} has friction "
            "that depends on them",
            remedy="Measure them (columns wz1, wz2 or angle1, angle2), or say --no-spin where the "
            "bodies do not spin before they meet, or where the contact has no friction.",
            path=first.recorded.path,
        )
    return VisiblePhysics(collisions, friction, spin, measured)


def check_choices(study: Study) -> None:
    """Check that a study of collisions asks for nothing that is of one ball.

    Raises:
        InputError: a surface or nuisances are named, or lift is asked for.
    """
    model = study.model
    check_known_to_kind(study, "a collision of two bodies", ball=False)
    if study.contact.given:
        for name, said in (
            ("restitution_law", model.law_of_restitution != CONSTANT),
            ("normal_law", model.normal_law is not None),
            ("friction_law", model.friction_law != "coulomb"),
            ("friction", model.friction != "automatic"),
        ):
            if said:
                raise InputError(
                    f"{name} is said beside {study.contact.model}, which is the whole contact",
                    remedy=f"Leave {name} out, or the contact.",
                    path=study.files[0],
                )
    for name, given in (
        ("surface", model.surface != "plane"),
        ("nuisances", bool(model.nuisances)),
        ("lift", model.lift is True),
        ("scatter", model.scatter is True),
    ):
        if given:
            raise InputError(
                f"{name} has no meaning for a collision of two bodies, which meet nothing else",
                remedy=f"Leave {name} out.",
                path=study.files[0],
            )


def is_oblique(study: Study, collision: Collision) -> bool:
    """Whether bodies slip on each other, or a tangential impulse shows that they did."""
    detected = collision.detected
    assert study.partner.radius is not None
    turning = 0.0
    for spins, radius in zip(
        collision.spins, (study.one_ball.radius, study.partner.radius), strict=True
    ):
        if spins is not None:
            early = spins.spin[spins.time <= detected.touch]
            turning += radius * float(np.max(np.abs(np.nan_to_num(early)), initial=0.0))
    slips = max(detected.slip_speed, turning) > OBLIQUE * detected.approach_speed
    least = max(SEEN * detected.impulse_ratio_sd, LEAST_RATIO)
    return slips or detected.impulse_ratio > least


# The problem


def make_bodies(study: Study) -> jc.Spheres:
    """Both bodies. Discs are spheres that move in a plane with the moment of inertia of a disc."""
    ball, partner = study.one_ball, study.partner
    assert partner.radius is not None
    assert partner.mass is not None
    shapes = (ball.shell, partner.shell)
    ratio = [SOLID_DISC if ball.disc else THIN_SHELL if shell else SOLID_SPHERE for shell in shapes]
    return jc.Spheres(
        radius=np.array([ball.radius, partner.radius]),
        mass=np.array([ball.mass, partner.mass]),
        inertia_ratio=np.array(ratio),
    )


def starting_scene(study: Study, visible: VisiblePhysics) -> jc.Scene:
    """Scene with first guesses."""
    if study.contact.given:
        return scene_of_two(study, named_contact(study).contact)
    detections = [collision.detected for collision in visible.collisions]
    seen = [found.restitution for found in detections if np.isfinite(found.restitution)]
    restitution = float(np.clip(np.median(seen or [GUESSED_RESTITUTION]), 0.05, 0.99))
    speed = float(np.median([found.approach_speed for found in detections]))
    bodies = make_bodies(study)
    reduced = float(1 / np.sum(1 / np.asarray(bodies.mass)))
    contact = make_contact(
        study, restitution=restitution, speed=speed, friction=visible.friction, mass=reduced
    )
    if visible.confounded:
        ratio = max(STICKS, *(3 * found.impulse_ratio for found in detections))
        law = jc.Coulomb if has_rigid_impacts(study) else jc.RegularizedCoulomb
        contact = contact.replace(friction=law(coefficient=ratio))
    scene = scene_of_two(study, contact)
    if visible.friction and not visible.confounded and FRICTION in free_of_friction(study):
        # A larger coefficient lets contacts stick, and then nothing tells that it is too large.
        return put(scene, FRICTION, max(least_friction(visible.collisions)[0], LEAST_RATIO))
    return scene


def scene_of_two(study: Study, contact: jc.ContactModel | PairContact) -> jc.Scene:
    """Both bodies, with nothing to bounce on but each other.

    Args:
        study: which bodies, and gravity.
        contact: between them.
    """
    return jc.Scene(
        bodies=make_bodies(study),
        surfaces=(),
        contact=contact,
        gravity=(0.0, 0.0, -study.model.gravity),
    )


def collisions_problem(study: Study, visible: VisiblePhysics) -> Problem:
    """All collisions, each with its own initial states."""
    free: list[str | Free] = list(free_of_contact(study, visible))
    recorded = visible.collisions[0].recorded
    axes, turns = "".join(recorded.axes), spin_axes(recorded)
    nuisance: list[Nuisance] = [InitialStates((0, 1), position=axes, velocity=axes)]
    if visible.confounded:
        nuisance = [
            InitialStates((0,), position=axes, velocity=axes, spin=turns),
            InitialStates((1,), position=axes, velocity=axes),
        ]
    elif visible.spin:
        nuisance = [InitialStates((0, 1), position=axes, velocity=axes, spin=turns)]
    return make_problem(
        study,
        starting_scene(study, visible),
        [trial_of(collision, visible) for collision in visible.collisions],
        free=free,
        nuisance=nuisance,
        method=method_of(study),
    )


def free_of_contact(study: Study, visible: VisiblePhysics) -> tuple[str, ...]:
    """Paths of the parameters of the contact that are found."""
    if study.contact.given:
        return named_contact(study).free
    friction = visible.friction and not visible.confounded
    return (*free_of_normal_law(study), *(free_of_friction(study) if friction else ()))


def method_of(study: Study) -> jc.Impulse | jc.EventAligned:
    """How a collision is simulated. Nothing presses two free bodies together, so their contact does
    not last, and steps for one that does would be taken in every trial for nothing.
    """
    contacts = 1 + SPARE
    if study.contact.given:
        return jc.EventAligned(max_contacts=contacts)
    if has_rigid_impacts(study):
        return jc.Impulse(max_contacts=contacts, rest_steps=1, skip_unused=False, sustained_steps=0)
    return jc.EventAligned(max_contacts=contacts, sustained_steps=0)


def trial_of(collision: Collision, visible: VisiblePhysics) -> Trial:
    """The measurements of a collision, with the states from which the search begins."""
    recorded, detected, spins = collision
    measured: list[Measurement] = [
        OfBody(body, Path.of(recording), name=f"body {body + 1}")
        for body, recording in enumerate(recorded.bodies)
    ]
    start = np.zeros((2, 3))
    for body, of_body in enumerate(spins):
        if visible.spin and visible.measured and of_body is not None:
            measured.append(OfBody(body, of_body, name=f"spin of body {body + 1}"))
            early = of_body.spin[of_body.time <= detected.touch]
            start[body] = np.nan_to_num(np.mean(early if len(early) else of_body.spin[:1], axis=0))
    return Trial(
        *measured,
        initial=jc.state(position=detected.position, velocity=detected.velocity, spin=start),
        time=detected.start,
        name=recorded.name,
    )


# What there is to say


def least_friction(collisions: Sequence[Collision]) -> tuple[float, str]:
    """The largest ratio of tangential to normal impulse that is surely there, and in which file."""
    return max(
        (found.impulse_ratio - 2 * found.impulse_ratio_sd, recorded.name)
        for recorded, found, _ in collisions
    )


def friction_limit(collisions: Sequence[Collision]) -> Estimate:
    """What collisions of bodies with unknown spins say of friction: it is at least the largest
    ratio of tangential to normal impulse.
    """
    least, where = least_friction(collisions)
    limit = f"; it is at least {max(least, 0.0):.2g} ({where})" if least > 0 else ""
    about = QUANTITIES["coefficient"]
    return Estimate(
        name=FRICTION,
        label=about.label,
        symbol=about.symbol,
        unit=about.unit,
        value=np.nan,
        sd=np.inf,
        start=np.nan,
        status=Determination.NOT_DETERMINED,
        note=f"friction and the spins before the collision are confounded{limit}. Measure the "
        "spins of both bodies (columns wz1, wz2 or angle1, angle2), or say --no-spin where they "
        "do not spin before",
    )


def notes(study: Study, visible: VisiblePhysics) -> Iterator[str]:
    """Plain sentences beside the result."""
    recorded = visible.collisions[0].recorded
    if not visible.friction and study.model.friction == "automatic" and spin_axes(recorded):
        yield (
            "Every collision is nearly central, so friction was left out: these data do not tell "
            "it."
        )
    if visible.friction and not visible.spin:
        yield "The bodies were said not to spin before the collision; friction relies on it."
    yield from _partly_measured(visible)
    yield from _unseen_bodies(study, visible.collisions)


def doubts_of_input(study: Study, visible: VisiblePhysics) -> Iterator[str]:
    """What was given and does not agree with the collisions: masses, radii, free motion. A misfit
    is due to it, where there is any.
    """
    assert study.partner is not None
    yield from _doubtful_masses(study, visible.collisions)
    assert study.partner.radius is not None
    radii = (study.one_ball.radius, study.partner.radius)
    for collision in visible.collisions:
        if is_off(collision, radii):
            yield f"{collision.recorded.name}: {off_sentence(collision, radii)}."
    slowing = [collision.recorded.name for collision in visible.collisions if is_slowed(collision)]
    if slowing:
        yield (
            f"Bodies slow down on their way ({', '.join(slowing)}), and the model knows no "
            "friction of the table and no air: keep to samples close to the collision."
        )


def _partly_measured(visible: VisiblePhysics) -> Iterator[str]:
    if visible.confounded and any(any(c.spins) for c in visible.collisions):
        yield (
            "The spin of one body only was measured; it was not used, because that of the other "
            "can be anything."
        )


def _doubtful_masses(study: Study, collisions: Sequence[Collision]) -> Iterator[str]:
    """A doubt where the bodies exchange momentum as if their masses were others."""
    known = [
        (found.mass_ratio, found.mass_ratio_sd)
        for _, found, _ in collisions
        if np.isfinite(found.mass_ratio) and found.mass_ratio_sd > 0
    ]
    assert study.partner.mass is not None
    given = study.partner.mass / study.one_ball.mass
    if not known:
        return
    weights = np.array([1 / sd**2 for _, sd in known])
    value = float(weights @ [ratio for ratio, _ in known] / weights.sum())
    sd = float(weights.sum() ** -0.5)
    if abs(value - given) > max(DOUBTFUL_MASSES * sd, LEAST_DOUBT * given):
        yield (
            f"The bodies exchange momentum as if the second one had {value_and_sd(value, sd)} "
            f"times the mass of the first; the masses that were given make {given:.3g}. Check the "
            "masses and which body is which, or whether the table pushes, too."
        )


def _unseen_bodies(study: Study, collisions: Sequence[Collision]) -> Iterator[str]:
    """How restitution depends on the masses where one body was not seen after the collision."""
    unseen = [
        (recorded.name, found.seen_after.index(False), found.restitution)
        for recorded, found, _ in collisions
        if not all(found.seen_after)
    ]
    if not unseen:
        return
    assert study.partner.mass is not None
    total = study.one_ball.mass + study.partner.mass
    # 1 + e = change of the velocity of the seen body over the approach speed, times the mass of
    # both over that of the unseen one.
    share = max(
        (study.one_ball.mass if body == 1 else study.partner.mass) / total for _, body, _ in unseen
    )
    some = len(unseen) < len(collisions)
    yield (
        f"One body is not seen after the collision ({', '.join(name for name, _, _ in unseen)}): "
        f"{'there' if some else 'then'} restitution and the ratio of the masses are one quantity. "
        f"An error of 1 % of the ratio changes 1 + e by {share:.2g} %, which the interval does "
        "not contain."
    )


def is_slowed(collision: Collision) -> bool:
    """Whether a body loses a good part of its speed on its way."""
    recorded, found, _ = collision
    span = float(recorded.time[-1] - recorded.time[0])
    return found.slowing * span > LEAST_SLOWING * found.approach_speed


def is_off(collision: Collision, radii: tuple[float, float]) -> bool:
    """Whether the motion changes at another distance of the centres than the radii make."""
    found, reach = collision.detected, sum(radii)
    return abs(found.distance - reach) > max(SEEN * found.distance_sd, LEAST_OFF * reach)


def off_sentence(collision: Collision, radii: tuple[float, float]) -> str:
    """That the motion changes at another distance of the centres than the radii make."""
    found = collision.detected
    shown = value_and_sd(1e3 * found.distance, 1e3 * found.distance_sd)
    return (
        f"the motion changes when the centres are {shown} mm apart, but the radii make "
        f"{1e3 * sum(radii):.3g} mm: check radii and length scale"
    )


def remarks(collision: Collision, radii: tuple[float, float]) -> Iterator[str]:
    """Plain sentences on a file.

    Args:
        collision: in it.
        radii: of both bodies [m].
    """
    recorded, found, spins = collision
    yield f"read: {', '.join(recorded.read)}"
    yield from recorded.bodies[0].notes
    yield from unused_columns(recorded.ignored)
    missing = int(np.sum(~np.isfinite(recorded.position[:, :, found_axes(recorded)]).all(axis=2)))
    if missing:
        yield f"{missing} position{'s' if missing > 1 else ''} of a body missing"
    for body, seen in enumerate(found.seen_after, start=1):
        if not seen:
            yield (
                f"body {body} is not seen after the collision: restitution takes the error of the "
                "masses"
            )
    if any(spins) and not all(spins):
        yield "the spin of one body only: it tells nothing of friction"
    if is_off(collision, radii):
        yield off_sentence(collision, radii)
    if is_slowed(collision):
        yield (
            f"a body slows down by {found.slowing:.2g} m/s^2 on its way, which the model does not "
            "know"
        )


def found_axes(recorded: TwoBodies) -> list[int]:
    """Indices of the measured axes."""
    return [AXES.index(axis) for axis in recorded.axes]
