"""From runs that roll or spin to rest to the resistance of their contact.

The rules, in the order in which they are applied:

1. A run is one smooth motion: a jump or a bend in it is refused, with its time. A column without a
   unit is refused: nothing else in such a run tells it.
2. Each run has its own speed, or spin, at its first sample.
3. The slope of the track is found with the rolling resistance, unless the study says it; then it is
   known to ``slope_sd``. Where all runs go in one direction, a slope acts like a part of the
   resistance: neither is determined then, and a remark says what a level track would mean.
4. Where ``drag`` is true, the air slows a rolling body down in proportion to the square of its
   speed, with a coefficient that is found and may come out as zero.
5. A spin tells the lever of the friction, its torque over the weight. With the radius of the
   contact, it tells the coefficient of friction. A disc stands on all of its face.
"""

import abc
import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import ClassVar

import jax
import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.fit import fit
from calibration.io.files import make_distinct_names
from calibration.io.headers import Header
from calibration.measurements import (
    RollingDecay,
    SpinDecay,
    read_rolling_decay,
    read_spin_decay,
)
from calibration.measurements.decaying_run import mean_slope
from calibration.measurements.rolling_decay import POSITION, SPEED
from calibration.measurements.spin_decay import SPIN
from calibration.model.free import Derived
from calibration.model.prior import Normal
from calibration.nuisances import FirstSpin, Nuisance, RollingSpeed, TrackPosition, TrackSlope
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from calibration.results.estimate import Determination, Estimate
from calibration.results.numbers import value_and_sd
from calibration.results.result import Fit
from calibration.studies.asked.files import known_values
from calibration.studies.asked.problem import make_problem
from calibration.studies.choices.rolling_laws import ROLLING_LAWS
from calibration.studies.choices.spinning_laws import (
    HERTZ,
    LEVER,
    SPINNING_LAWS,
    UNIFORM,
    SpinningChoice,
)
from calibration.studies.file_kind import FileKind, Say
from calibration.studies.file_report import FileReport
from calibration.studies.study import ReadingOptions, Study
from jaxcontact.parameters import put, quantity
from jaxcontact.scene.bodies import SOLID_DISC, SOLID_SPHERE, THIN_SHELL

TIMES = ("t", "time", "times", "zeit", "temps")
"""Names of the column of times."""

LEAST_RESISTANCE, MOST_RESISTANCE = 1e-5, 0.5
"""Torque over normal force and radius from which a fit begins."""

SLOPE = "track_slope"
DRAG = Derived(
    name="drag_coefficient",
    about=quantity(unit="-", label="drag coefficient", symbol="C_D", interval="(-inf, inf)"),
    sets=lambda scene, value: put(scene, "drag.coefficient", value),
    start=0.0,
)
"""May come out below zero by its error: a coefficient that must be positive would hide what it
leaves open of the resistance.
"""

UNKNOWN_SLOPE = math.radians(1.0)
"""Standard deviation of the slope of a track that nobody levelled [rad]."""

SEEN, STEEP = 3.0, math.radians(0.2)
"""Standard deviations, and slope, from which on a track is remarked not to be level."""

SOFT_GROUND = 0.2
"""Rolling resistance above which a unit is doubted: tyres on sand have 0.2 to 0.4."""

WIDE_LEVER = 0.1
"""Lever of spinning friction over the radius of a ball above which a unit is doubted."""


class Decays(FileKind):
    """What runs that roll and runs that spin have in common."""

    discs: ClassVar[bool] = True

    @abc.abstractmethod
    def read(self, path: str, options: ReadingOptions, name: str) -> RollingDecay | SpinDecay:
        """The run in a file.

        Args:
            path: of the file.
            options: how to read it.
            name: of the trial.
        """

    def read_all(self, study: Study) -> list[RollingDecay | SpinDecay]:
        """The runs in the files of a study."""
        names = make_distinct_names([FilePath(file) for file in study.files])
        return [
            self.read(path, study.reading, name)
            for path, name in zip(study.files, names, strict=True)
        ]

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
        """The run."""
        run = self.read(path, options, name)
        run.check_unbroken()
        return FileReport(path=path, name=name, decay=run)


class RollingDecays(Decays):
    """Speeds or positions of a body that rolls to rest along a track."""

    name: ClassVar[str] = "a rolling decay"

    def recognises(self, path: str, headers: Sequence[Header]) -> bool:
        """Whether there is, beside the time, nothing but a speed or a position along a track."""
        return _holds_only(headers, (*SPEED.names, *POSITION.names))

    def read(self, path: str, options: ReadingOptions, name: str) -> RollingDecay:
        """Speeds or positions."""
        own = options.of(path)
        run = read_rolling_decay(
            path,
            columns=own.columns,
            sigma=own.one_sigma("a rolling decay [m/s] or [m]", example="0.002"),
            interval=options.interval_of(path),
        )
        run.name = name
        return run

    def problem(self, study: Study, reports: Sequence[FileReport] = ()) -> Problem:
        """All runs, with one resistance and one slope of the track."""
        return rolling_problem(study, self.read_all(study))

    def fit(self, study: Study, *, progress: Say) -> Fit:
        """Fit all runs; the rules are those of this module."""
        runs = self.read_all(study)
        progress(f"Fitting {len(runs)} run{'s' if len(runs) != 1 else ''}")
        with jax.enable_x64(True):
            problem = rolling_problem(study, runs)
        ambiguous = slope_is_ambiguous(study, runs)
        if ambiguous:
            problem = problem.replace(frozen=[SLOPE])
        found = fit(problem, method=study.fit.method, steps=study.fit.steps)
        notes = (level_track if ambiguous else rolling_notes)(study, found)
        found = withdraw_resistance(study, found) if ambiguous else found
        law = ROLLING_LAWS[study.decay.rolling_law].name
        return dataclasses.replace(
            found,
            model=f"rolling without slip along a track: {law} resistance",
            warnings=(*found.warnings, *notes),
        )


class SpinDecays(Decays):
    """Spins of a body that turns on its contact until it rests."""

    name: ClassVar[str] = "a spin decay"

    def recognises(self, path: str, headers: Sequence[Header]) -> bool:
        """Whether there is, beside the time, nothing but a spin."""
        return _holds_only(headers, SPIN.names)

    def read(self, path: str, options: ReadingOptions, name: str) -> SpinDecay:
        """Spins."""
        own = options.of(path)
        run = read_spin_decay(
            path,
            columns=own.columns,
            sigma=own.one_sigma("a spin decay [rad/s]", example="0.1"),
            interval=options.interval_of(path),
        )
        run.name = name
        return run

    def problem(self, study: Study, reports: Sequence[FileReport] = ()) -> Problem:
        """All runs, with one friction."""
        return spinning_problem(study, self.read_all(study))

    def fit(self, study: Study, *, progress: Say) -> Fit:
        """Fit all runs; the rules are those of this module."""
        runs = self.read_all(study)
        progress(f"Fitting {len(runs)} run{'s' if len(runs) != 1 else ''}")
        with jax.enable_x64(True):
            problem = spinning_problem(study, runs)
        found = fit(problem, method=study.fit.method, steps=study.fit.steps)
        return dataclasses.replace(
            found,
            model=f"spinning on its contact: {spinning_choice(study).name}",
            warnings=(*found.warnings, *spinning_notes(study, found)),
        )


def _holds_only(headers: Sequence[Header], names: Sequence[str]) -> bool:
    others = [header.name for header in headers if header.name not in TIMES]
    return len(others) < len(headers) and bool(others) and set(others) <= set(names)


# Problems


def make_body(study: Study) -> jc.Spheres:
    """The ball or the disc of the study."""
    ball = study.one_ball
    return jc.Spheres(
        radius=ball.radius,
        mass=ball.mass,
        inertia_ratio=SOLID_DISC if ball.disc else THIN_SHELL if ball.shell else SOLID_SPHERE,
    )


def check_choices(study: Study, kind: str) -> None:
    """Refuse what such runs know nothing of.

    Raises:
        InputError: a law with a force, a surface, nuisances or friction are named.
    """
    model = study.model
    for name, given in (
        ("normal_law", model.normal_law is not None),
        ("surface", model.surface != "plane"),
        ("nuisances", bool(model.nuisances)),
        ("friction", model.friction is True),
        ("scatter", model.scatter is True),
    ):
        if given:
            raise InputError(
                f"{name} has no meaning for {kind}, a body in contact with a plane all the time",
                remedy=f"Leave {name} out.",
                path=study.files[0],
            )


def rolling_problem(study: Study, runs: Sequence[RollingDecay | SpinDecay]) -> Problem:
    """One resistance of all runs, their slope, and how each begins."""
    check_choices(study, "a rolling decay")
    decay, bodies = study.decay, make_body(study)
    rolling = [run for run in runs if isinstance(run, RollingDecay)]
    law = ROLLING_LAWS[decay.rolling_law]
    slope, asked = math.radians(decay.slope or 0.0), study.model.parameters or {}
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.5),
        rolling=law.make(
            first_resistance(rolling, bodies, gravity=study.model.gravity, slope=slope),
            max(float(np.median([abs(run.first_speed) for run in rolling])), 1e-3),
        ),
    )
    prior = None if decay.slope is None else Normal(slope, math.radians(decay.slope_sd))
    if prior is None and (slope_is_ambiguous(study, rolling) or SLOPE in asked):
        prior = Normal(0.0, UNKNOWN_SLOPE)
    nuisance: list[Nuisance] = [RollingSpeed(), TrackSlope(prior=prior)]
    if any(run.quantity == "position" for run in rolling):
        nuisance.append(TrackPosition())
    air = jc.QuadraticDrag(coefficient=0.0, fluid_density=study.model.fluid_density)
    return make_problem(
        study,
        jc.Scene(
            bodies=bodies,
            contact=contact,
            gravity=(0.0, 0.0, -study.model.gravity),
            drag=air if study.model.drag else None,
        ),
        trials_of(study, rolling),
        free=[*law.free, *([DRAG] if study.model.drag else [])],
        nuisance=nuisance,
    )


def trials_of(study: Study, runs: Sequence[RollingDecay | SpinDecay]) -> list[Trial]:
    """The runs as trials, each with the body that rolls or spins in it."""
    return [
        Trial(run, values=known_values(study, path))
        for run, path in zip(runs, study.files, strict=True)
    ]


def slope_is_ambiguous(study: Study, runs: Sequence[RollingDecay | SpinDecay]) -> bool:
    """Whether nobody said the slope of the track, and all runs go in one direction."""
    rolling = [run for run in runs if isinstance(run, RollingDecay)]
    seen = set().union(*(run.directions for run in rolling))
    said = study.decay.slope is not None or SLOPE in (study.model.parameters or {})
    return not said and len(seen) < 2


def first_resistance(
    runs: Sequence[RollingDecay], bodies: jc.Spheres, *, gravity: float, slope: float
) -> float:
    """Torque over normal force and radius at first sight, the median of all runs."""
    factor = 1.0 + float(bodies.inertia_ratio)
    told = []
    for run in runs:
        pull = gravity * math.sin(slope) - factor * mean_slope(run.run)
        onwards = 1.0 if run.first_speed > 0 else -1.0
        told.append(onwards * pull / (gravity * math.cos(slope)))
    return float(np.clip(np.median(told), LEAST_RESISTANCE, MOST_RESISTANCE))


def contact_radius(study: Study) -> float | None:
    """Radius of the disk of the contact [m], as far as it is known: a disc stands on its face."""
    given = study.decay.contact_radius
    return study.one_ball.radius if given is None and study.one_ball.disc else given


def spinning_choice(study: Study) -> SpinningChoice:
    """The spinning law: as the study names it, or what is known of the contact tells.

    Raises:
        InputError: the law needs a contact that is not known.
    """
    named, disk = study.decay.spinning_law, contact_radius(study)
    if named is None:
        named = LEVER if disk is None else UNIFORM if study.one_ball.disc else HERTZ
    choice = SPINNING_LAWS[named]
    if choice.needs_disk and disk is None:
        raise InputError(
            f"spinning_law = {choice.name!r} needs the radius of the contact, which no spin tells",
            remedy="Give --contact-radius 0.0002 [m], or take --spinning-law lever.",
            path=study.files[0],
        )
    if disk is not None and disk > study.one_ball.radius:
        raise InputError(
            f"contact_radius = {disk:g} m is larger than the radius of the body, "
            f"{study.one_ball.radius:g} m",
            remedy="Give it in metres.",
            path=study.files[0],
        )
    return choice


def spinning_problem(study: Study, runs: Sequence[RollingDecay | SpinDecay]) -> Problem:
    """One friction of all runs, and how each begins."""
    check_choices(study, "a spin decay")
    choice, disk, bodies = spinning_choice(study), contact_radius(study), make_body(study)
    spinning = [run for run in runs if isinstance(run, SpinDecay)]
    gravity, radius, mass = study.model.gravity, study.one_ball.radius, study.one_ball.mass
    slowing = np.median([abs(mean_slope(run.run)) for run in spinning])
    lever = max(float(slowing * bodies.inertia_ratio) * radius**2 / gravity, 1e-6 * radius)
    # A stiffness at which the weight makes a contact of this radius: the only thing that it says.
    overlap = (radius if disk is None else disk) ** 2 / radius
    stiffness = mass * gravity / overlap**1.5
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=stiffness, restitution=0.5),
        spinning=choice.make(lever, disk),
    )
    return make_problem(
        study,
        jc.Scene(bodies=bodies, contact=contact, gravity=(0.0, 0.0, -gravity)),
        trials_of(study, spinning),
        free=list(choice.free),
        nuisance=[FirstSpin()],
    )


# What is to be said of a fit


def rolling_notes(study: Study, found: Fit) -> list[str]:
    """What a person must know of a rolling resistance beside its interval."""
    notes, slope = [], found.parameters.get(SLOPE)
    if slope is None:
        return notes_on_resistance(study, found)
    if study.decay.slope is None:
        seen = _is_determined(slope) and abs(slope.value) > SEEN * slope.sd
        if seen and abs(slope.value) > STEEP:
            notes.append(
                f"The track is not level: it goes down by {_degrees(abs(slope.value), slope.sd)} "
                f"degrees towards {'larger' if slope.value > 0 else 'smaller'} positions."
            )
    else:
        off = math.degrees(slope.value) - study.decay.slope
        if _is_determined(slope) and abs(off) > SEEN * study.decay.slope_sd:
            notes.append(
                f"The runs contradict the slope that was given: they look like one of "
                f"{_degrees(slope.value, slope.sd)} degrees. Or another law is at work."
            )
        notes.append(
            f"The slope of the track was taken as {study.decay.slope:g} +- "
            f"{study.decay.slope_sd:g} degrees; where all runs go in one direction, that "
            f"alone leaves a rolling coefficient open by {math.radians(study.decay.slope_sd):.2g}."
        )
    return [*notes, *notes_on_resistance(study, found)]


def notes_on_resistance(study: Study, found: Fit) -> list[str]:
    """What no air and no contact has."""
    notes: list[str] = []
    if DRAG.name in found.parameters:
        notes += _doubt_air(found.parameters[DRAG.name])
    for one in found_resistance(study, found):
        if one.name.endswith("rolling_coefficient") and _is_determined(one):
            notes += _doubt_coefficient(one)
    return notes


def found_resistance(study: Study, found: Fit) -> list[Estimate]:
    """The parameters of the rolling law, without those that the study gives the value of."""
    names = ROLLING_LAWS[study.decay.rolling_law].free
    return [found.parameters[name] for name in names if name in found.parameters]


def level_track(study: Study, level: Fit) -> list[str]:
    """What runs in one direction mean on a level track.

    Args:
        study: says nothing of the slope.
        level: fit of a track that is level.
    """
    parts = [
        f"{one.label} {value_and_sd(one.value, one.sd)} {one.unit}".removesuffix(" -")
        for one in found_resistance(study, level)
        if _is_determined(one)
    ]
    on_level = (
        f" On a track that is level exactly, it would be: {', '.join(parts)}; each 0.1 degrees "
        "change a rolling coefficient by 0.0017."
    )
    return [
        "Runs in one direction cannot tell rolling resistance from a slope of the track. Let the "
        "body roll in both directions, a file each, with speeds of both signs, or say how level "
        f"the track is: --slope 0 --slope-sd 0.05 (degrees).{on_level if parts else ''}"
    ]


def withdraw_resistance(study: Study, level: Fit) -> Fit:
    """The fit of a level track, whose resistance is said to be not determined."""
    open_ones = {
        one.name: dataclasses.replace(
            one,
            sd=math.inf,
            status=Determination.NOT_DETERMINED,
            note="a slope of the track does the same in one direction",
        )
        for one in found_resistance(study, level)
    }
    return dataclasses.replace(level, parameters={**level.parameters, **open_ones})


def _doubt_air(drag: Estimate) -> list[str]:
    if not _is_determined(drag) or drag.value > -SEEN * drag.sd:
        return []
    return [
        "The drag of the air comes out negative: the resistance grows less with the speed than "
        "this law has it. Take another law, or look for what pushes."
    ]


def _doubt_coefficient(one: Estimate) -> list[str]:
    if one.value < SOFT_GROUND:
        return []
    return [
        f"A rolling coefficient of {one.value:.2g} is larger than that of a tyre on sand: "
        "check the units of the columns, the radius, and whether the body slid."
    ]


def spinning_notes(study: Study, found: Fit) -> list[str]:
    """What a person must know of a spinning friction beside its interval."""
    choice, notes = spinning_choice(study), []
    first = found.parameters.get(choice.free[0])
    if first is None:
        return ["Friction of the air on the spinning body was left out."]
    if choice.name == LEVER:
        lever = first
        notes.append(
            "A spin tells the friction times the size of the contact only, here as a lever. For "
            "the friction coefficient give the radius of the contact, --contact-radius 0.0002 [m]."
        )
        if _is_determined(lever) and lever.value > WIDE_LEVER * study.one_ball.radius:
            notes.append(
                f"A lever of {lever.value:.2g} m is more than {WIDE_LEVER:g} of the radius of the "
                "body, which no ball on its contact has: check the unit of the spin, and the "
                "radius."
            )
    elif _is_determined(first) and first.value > 2.0:
        notes.append(
            f"A friction coefficient of {first.value:.2g} is that of no dry contact: check the "
            "unit of the spin, the radius of the body, and that of the contact."
        )
    notes.append("Friction of the air on the spinning body was left out.")
    return notes


def _is_determined(one: Estimate) -> bool:
    return one.status is Determination.DETERMINED


def _degrees(value: float, sd: float) -> str:
    return value_and_sd(math.degrees(value), math.degrees(sd))
