"""From recordings of a rigid body with its orientation to restitution and friction on a surface: a
cube that is tossed onto a table.

The rules, in the order in which they are applied:

1. Each file is one toss. The body, its mass and its inertia are known; it moves without air.
2. Restitution and friction are found, and the height of the surface. The stiffness of a law with a
   force is held where the study says nothing of it: corners touch too briefly for a camera.
3. How the body is released is found in each toss, from all samples (``release = "found"``), or is
   what the first sample says (``"recorded"``).
4. A body that tumbles forgets where it came from: where the study says so, samples are used up to
   a time after the first touch.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.io.headers import Header
from calibration.io.poses import RecordedPoses
from calibration.measurements import Orientations, Path
from calibration.nuisances import InitialStates, InitialTurn, Nuisance
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from calibration.results.result import Fit
from calibration.runtime.registry import nearest_name
from calibration.studies.asked.files import check_known_to_kind
from calibration.studies.asked.problem import make_nuisances, make_problem
from calibration.studies.choices.known_parameters import VALUE
from calibration.studies.choices.named_tables import name_of
from calibration.studies.choices.surfaces import PLANE
from calibration.studies.file_kind import FileKind, Say
from calibration.studies.file_report import FileReport
from calibration.studies.scene import (
    free_of_friction,
    free_of_normal_law,
    free_of_surface,
    has_rigid_impacts,
    make_contact,
    make_surfaces,
)
from calibration.studies.study import RECORDED, ReadingOptions, Study
from calibration.studies.tossed.toss import (
    WHAT,
    Toss,
    level_of,
    lowest,
    make_body,
    read_one,
    read_tosses,
    released,
)

HEIGHT = "surfaces.0.offset"
"""Path of the height of a level plane."""

STIFFNESS = "contact.normal.stiffness"
"""Path of the stiffness of a law with a force."""

GUESSED_RESTITUTION, GUESSED_SPEED = 0.3, 1.0
"""First guess, and the impact speed [m/s] for which a law makes its own."""

RIGID = jc.Impulse(max_contacts=128)
FOLLOWED = jc.EventAligned(max_contacts=64, graded_step=0.1, accuracy=1e-4)
"""How a toss is simulated. Cameras see a tenth of a millimetre at best."""

NUISANCES = ("gravity", "gravity tilt", "surface tilt")
"""Quantities of the measurement that can be found beside."""

DEVIATIONS = {"position": "m", "rotation": "rad"}
"""What has a standard deviation, and its unit."""


class Poses(FileKind):
    """Centre and orientation of a rigid body against time: flights between impacts of its
    corners.
    """

    name: ClassVar[str] = WHAT

    def recognises(self, path: str, headers: Sequence[Header]) -> bool:
        """Never: a ball may have a recorded orientation, too, so the study says which it is."""
        return False

    def problem(self, study: Study, reports: Sequence[FileReport] = ()) -> Problem:
        """All tosses, with one restitution, friction coefficient and height of the surface."""
        check_choices(study)
        return tosses_problem(study, read_tosses(study))

    def fit(self, study: Study, *, progress: Say) -> Fit:
        """Fit all tosses; the rules are those of this module."""
        found = super().fit(study, progress=progress)
        return dataclasses.replace(found, warnings=(*found.warnings, *notes(study)))

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
        """How many samples there are of what."""
        found = read_one(path, options, spin_in_body_axes=False)
        return FileReport(path=path, name=name, remarks=tuple(remarks(found)))


POSES = Poses()


# The problem


def check_choices(study: Study) -> None:
    """Check that a study of a body asks for nothing that is of balls.

    Raises:
        InputError: naming the option, and what to do.
    """
    model = study.model
    check_known_to_kind(study, Poses.name, ball=False)
    for name, given in (
        ("contact", study.contact.given),
        ("lift", model.lift is True),
        ("spin", model.spin != "automatic"),
        ("scatter", model.scatter is True),
        ("length_scale", model.length_scale is True),
    ):
        if given:
            raise InputError(
                f"{name} has no meaning for {Poses.name}",
                remedy=f"Leave {name} out.",
                path=study.files[0],
            )
    for entry in model.nuisances or ():
        if name_of(entry) not in NUISANCES:
            raise InputError(
                f"the nuisance {name_of(entry)!r} cannot be found for {Poses.name}",
                remedy=f"Leave it out; there are {', '.join(NUISANCES)}, and the height of the "
                f"surface is found always, unless {HEIGHT} is given.",
                path=study.files[0],
            )


def starting_scene(study: Study, tosses: Sequence[Toss]) -> jc.Scene:
    """The body and its surface with first guesses."""
    body = make_body(study)
    surfaces = make_surfaces(study)
    if study.model.surface == PLANE:
        level = level_of([lowest(body, toss.recorded) for toss in tosses])
        surfaces = (jc.Plane(offset=level),)
    return jc.Scene(
        bodies=body,
        surfaces=surfaces,
        contact=make_contact(
            study,
            restitution=GUESSED_RESTITUTION,
            speed=GUESSED_SPEED,
            friction=study.model.friction is not False,
            mass=study.body.mass,
        ),
        gravity=(0.0, 0.0, -study.model.gravity),
    )


def free_of(study: Study) -> tuple[str, ...]:
    """Paths of the parameters that are found."""
    asked = (study.model.parameters or {}).get(STIFFNESS, {VALUE: None})
    held = {STIFFNESS} if VALUE in asked else set()
    normal = [name for name in free_of_normal_law(study) if name not in held]
    friction = () if study.model.friction is False else free_of_friction(study)
    height = (HEIGHT,) if study.model.surface == PLANE else ()
    return (*normal, *friction, *height, *free_of_surface(study))


def tosses_problem(study: Study, tosses: Sequence[Toss]) -> Problem:
    """All tosses, each with its own release where that is found."""
    found: list[Nuisance] = []
    if study.body.release != RECORDED:
        found = [InitialStates((0,), spin="xyz"), InitialTurn()]
    return make_problem(
        study,
        starting_scene(study, tosses),
        [trial_of(toss, study) for toss in tosses],
        free=free_of(study),
        nuisance=[*found, *make_nuisances(study)],
        method=RIGID if has_rigid_impacts(study) else FOLLOWED,
    )


def trial_of(toss: Toss, study: Study) -> Trial:
    """Positions and orientations of a toss, and how the body is released."""
    recorded, sigma = toss.recorded, deviations(study)
    position, rotation = sigma.get("position"), sigma.get("rotation")
    return Trial(
        Path(
            recorded.time,
            recorded.position,
            sigma=None if position is None else np.full(recorded.position.shape, position),
            name=recorded.name,
            path=recorded.path,
        ),
        Orientations(
            recorded.time,
            recorded.orientation,
            sigma=rotation,
            name=f"orientation in {recorded.name}",
            path=recorded.path,
        ),
        initial=released(toss, study),
        time=float(recorded.time[0]),
        name=recorded.name,
    )


def deviations(study: Study) -> Mapping[str, float]:
    """The standard deviations that the study states, by what they are of.

    Raises:
        InputError: one number for both, something that has none, one without the other.
    """
    given = study.reading.sigma
    if given is None:
        return {}
    example = "Give --sigma position=0.001,rotation=0.02 [m, rad]."
    if isinstance(given, float):
        raise InputError(
            "sigma of poses is one for positions and one for rotations", remedy=example
        )
    for name in given:
        if name not in DEVIATIONS:
            raise InputError(
                f"sigma names {name!r}, which poses do not have",
                remedy=f"{nearest_name(name, tuple(DEVIATIONS))} {example}",
            )
    if len(given) < len(DEVIATIONS):
        (lacking,) = set(DEVIATIONS) - set(given)
        raise InputError(
            f"sigma of the {next(iter(given))} is given, but not that of the {lacking}",
            remedy=example,
        )
    return given


# What there is to say


def notes(study: Study) -> Iterator[str]:
    """Plain sentences beside the result."""
    tosses = read_tosses(study)
    if study.body.horizon is not None:
        used = sum(len(toss.recorded.time) for toss in tosses)
        yield (
            f"Samples up to {study.body.horizon:g} s after the first touch were used, {used} of "
            f"{sum(toss.all_samples for toss in tosses)}."
        )
    if study.body.release == RECORDED:
        yield (
            "Each toss begins as its first sample says; what is wrong with that is in the "
            "residuals, not in the intervals."
        )
    untouched = [toss.recorded.name for toss in tosses if toss.touch is None]
    if untouched:
        yield f"The body never comes near the surface in {', '.join(untouched)}."
    if not has_rigid_impacts(study) and STIFFNESS not in (study.model.parameters or {}):
        yield (
            f"The stiffness was held, as a camera does not see how long corners touch; to find it, "
            f"give a first guess, --parameter '{STIFFNESS}: start=1e8'."
        )


def remarks(recorded: RecordedPoses) -> Iterator[str]:
    """Plain sentences on a file."""
    span = recorded.time[-1] - recorded.time[0]
    yield f"{len(recorded.time)} poses in {span:.2f} s"
    for what, value in (("velocity", recorded.velocity), ("spin", recorded.spin)):
        if value is None:
            yield f"no {what}: how it is released is found from all samples"
    missing = int(np.sum(~np.isfinite(recorded.orientation).all(axis=1)))
    if missing:
        yield f"{missing} orientation{'s' if missing > 1 else ''} missing"
