"""A whole fit as data: which files, which ball, how to read, what to fit, with which method.
Nothing here needs JAX.
"""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from calibration.errors import InputError
from calibration.report.exporters import EXPORTERS
from calibration.studies.choices.contacts import CONTACTS
from calibration.studies.choices.friction_laws import FRICTION_LAWS
from calibration.studies.choices.known_parameters import KNOWN_PARAMETERS
from calibration.studies.choices.named_tables import (
    Entry,
    entries_in,
    entry_in,
    tables_by_name,
)
from calibration.studies.choices.noise_models import AUTOMATIC as AUTOMATIC_NOISE
from calibration.studies.choices.noise_models import NOISE_MODELS
from calibration.studies.choices.normal_laws import NORMAL_LAWS
from calibration.studies.choices.nuisances import NUISANCES
from calibration.studies.choices.restitution_laws import RESTITUTION_LAWS
from calibration.studies.choices.rolling_laws import ROLLING_LAWS
from calibration.studies.choices.shapes import SHAPES
from calibration.studies.choices.single_files import (
    FROM,
    LEFT_OUT,
    UNTIL,
    check_one_file,
    is_meant,
)
from calibration.studies.choices.spinning_laws import SPINNING_LAWS
from calibration.studies.choices.surfaces import SURFACES
from calibration.studies.choices.varied import VARIED
from calibration.studies.option import (
    AUTOMATIC,
    DEVIATIONS,
    FILES,
    FLAG,
    FRACTION,
    MOMENTS,
    NAMES,
    NATURAL,
    NON_NEGATIVE,
    NUMBER,
    NUMBERS,
    POSITIVE,
    TEXT,
    TEXTS,
    VALUES,
    VECTOR,
    WHOLE,
    Option,
    at_least,
    name_in,
    names_in,
    one_of,
    option,
    options,
    required,
)
from calibration.sweeps.design import DESIGNS
from calibration.sweeps.responses import RESPONSES

_LAWS, _NORMAL_LAWS, _FRICTION_LAWS, _SURFACES, _NUISANCES, _NOISE_MODELS = (
    ", ".join(registry.names)
    for registry in (
        RESTITUTION_LAWS,
        NORMAL_LAWS,
        FRICTION_LAWS,
        SURFACES,
        NUISANCES,
        NOISE_MODELS,
    )
)
_CONTACTS = ", ".join(CONTACTS.names)
_ROLLING_LAWS, _SPINNING_LAWS = (
    ", ".join(registry.names) for registry in (ROLLING_LAWS, SPINNING_LAWS)
)
_SHAPES = ", ".join(SHAPES.names)
_RESPONSES = ", ".join(RESPONSES.names)
_EXPORTERS = ", ".join(item.name for item in EXPORTERS if not item.always)
CONSTANT = "constant"
"""Name of the restitution law that depends on nothing."""

CALIBRATED = "calibrated"
"""Name of a camera whose pictures are true."""

RECORDED, FOUND = "recorded", "found"
"""How the motion of a body begins: as the first sample says, or as all samples tell."""

LIGHTEST, DENSEST = 0.05, 25e3
"""Densities of balls [kg/m^3]: that of a toy balloon without its air is 0.2, that of osmium
22.6e3.
"""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a study, which checks its options when it is made."""

    section: ClassVar[str]
    panel: ClassVar[str] = "Results"

    def __post_init__(self) -> None:
        for name, about in options(type(self)).items():
            value = getattr(self, name)
            if value is not None or name in required(type(self)):
                object.__setattr__(self, name, about.check(name, value))

    def with_given(self, **given: object) -> Self:
        """The same with the options that are not ``None``."""
        return replace(self, **{name: value for name, value in given.items() if value is not None})


@dataclass(frozen=True, kw_only=True)
class Ball(Section):
    """The ball.

    Raises:
        InputError: a value that is not allowed, or a mass that no ball of this radius has.

    Example:
        >>> import calibration as cal
        >>> cal.studies.Ball(radius=0.02, mass=0.0027, shell=True).radius
        0.02
    """

    section: ClassVar[str] = "ball"
    panel: ClassVar[str] = "The ball"
    radius: float = option(
        "radius of the ball [m]; 0.02 for table tennis", POSITIVE, metavar="METRES"
    )
    mass: float = option(
        "mass of the ball [kg]; 0.0027 for table tennis", POSITIVE, metavar="KILOGRAMS"
    )
    shell: bool = option(
        "a thin shell, hollow like a table-tennis ball, instead of a solid ball",
        FLAG,
        default=False,
        flags="--shell/--solid",
    )
    disc: bool = option(
        "a disc instead of a ball: a puck that slides flat on a table and meets another one with "
        "its rim, a disc that rolls on its rim or spins on its face; of two bodies both",
        FLAG,
        default=False,
        flags="--disc/--ball",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.disc:
            if self.shell:
                raise InputError(
                    "disc and shell are both given, but a body is one of them",
                    remedy="Leave out one.",
                )
            return
        density = self.mass / (4 / 3 * math.pi * self.radius**3)
        if not LIGHTEST <= density <= DENSEST:
            likely = ""
            if LIGHTEST <= density / 1000 <= DENSEST:
                likely = f" Is that the mass in grams? {self.mass / 1000:g} is meant then."
            elif LIGHTEST <= density * 1000**3 <= DENSEST:
                likely = (
                    f" Is that the radius in millimetres? {self.radius / 1000:g} is meant then."
                )
            elif LIGHTEST <= density * 100**3 <= DENSEST:
                likely = f" Is that the radius in centimetres? {self.radius / 100:g} is meant then."
            raise InputError(
                f"radius = {self.radius:g} m and mass = {self.mass:g} kg make a density of "
                f"{density:.2g} kg/m^3, which no ball has",
                remedy="Give the radius (half the diameter) in metres and the mass in kilograms."
                f"{likely}",
            )


@dataclass(frozen=True, kw_only=True)
class Partner(Section):
    """The other body of a collision, for recordings of two: columns such as t, x1, y1, x2, y2. The
    ball of the study is body 1 of the files, this is body 2.

    Raises:
        InputError: a value that is not allowed, a mass or a shell without a radius, or a radius
            without a mass.

    Example:
        >>> import calibration as cal
        >>> cal.studies.Partner(radius=0.03, mass=0.12).given
        True
    """

    section: ClassVar[str] = "partner"
    panel: ClassVar[str] = "The other body of a collision"
    radius: float | None = option(
        "radius of the other body [m], where the files hold two (x1, y1, x2, y2)",
        POSITIVE,
        default=None,
        flags="--partner-radius",
        metavar="METRES",
    )
    mass: float | None = option(
        "mass of the other body [kg]",
        POSITIVE,
        default=None,
        flags="--partner-mass",
        metavar="KILOGRAMS",
    )
    shell: bool = option(
        "the other body is a thin shell instead of a solid ball",
        FLAG,
        default=False,
        flags="--partner-shell/--partner-solid",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.radius is None) != (self.mass is None):
            known, lacking = ("mass", "radius") if self.radius is None else ("radius", "mass")
            example = {"radius": "0.03", "mass": "0.12"}[lacking]
            raise InputError(
                f"the {known} of the other body is given, but not its {lacking}",
                remedy=f"Add it, --partner-{lacking} {example}, or {lacking} = {example} below "
                "[partner] of a study file.",
            )
        if self.shell and self.radius is None:
            raise InputError(
                "the other body is a shell, but its radius and mass are not given",
                remedy="Give --partner-radius and --partner-mass, or leave --partner-shell out.",
            )

    @property
    def given(self) -> bool:
        """Whether there is another body."""
        return self.radius is not None


@dataclass(frozen=True, kw_only=True)
class BodyOptions(Section):
    """A rigid body that is no ball, in the place of the ball: recordings of its centre and its
    orientation, columns t, x, y, z, qw, qx, qy, qz.

    Raises:
        InputError: a value that is not allowed, a shape without a mass, or a mass without a shape.

    Example:
        >>> import calibration as cal
        >>> shape = {"name": "cube", "half_width": 0.05}
        >>> cal.studies.BodyOptions(shape=shape, mass=0.37).given
        True
    """

    section: ClassVar[str] = "body"
    panel: ClassVar[str] = "A body with orientations, in the place of a ball"
    shape: str | Mapping[str, Any] | None = option(
        f"the shape of the body, with its dimensions ('cube: half_width=0.05'): {_SHAPES}",
        entry_in(SHAPES),
        default=None,
        flags="--body",
    )
    mass: float | None = option(
        "mass of the body [kg]", POSITIVE, default=None, flags="--body-mass", metavar="KILOGRAMS"
    )
    inertia: tuple[float, ...] | None = option(
        "moment of inertia about any axis, or the three about the axes of the body [kg m^2]; of a "
        "homogeneous body when left out",
        MOMENTS,
        default=None,
        flags="--body-inertia",
    )
    release: str = option(
        "how its motion begins: found from all samples, or recorded, as the first sample says, "
        "which needs its velocity and its spin (columns vx, vy, vz, wx, wy, wz)",
        one_of(FOUND, RECORDED, metavar="HOW"),
        default=FOUND,
    )
    spin_axes: str = option(
        "axes along which the columns wx, wy, wz are: those of the scene, or of the body",
        one_of("scene", "body", metavar="AXES"),
        default="scene",
    )
    horizon: float | None = option(
        "time after the first touch up to which samples are used [s], because a body that tumbles "
        "forgets where it came from; all when left out",
        POSITIVE,
        default=None,
        metavar="SECONDS",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.shape is None) != (self.mass is None):
            known, lacking = ("mass", "shape") if self.shape is None else ("shape", "mass")
            flag, example = {
                "shape": ("--body", "'cube: half_width=0.05'"),
                "mass": ("--body-mass", "0.37"),
            }[lacking]
            raise InputError(
                f"the {known} of a body is given, but not its {lacking}",
                remedy=f"Add it, {flag} {example}, or {lacking} below [body] of a study file.",
            )
        given = vars(self)
        said = [
            name for name, about in options(BodyOptions).items() if given[name] != about.default
        ]
        if self.shape is None and said:
            raise InputError(
                f"{said[0]} of a body is given, but not its shape",
                remedy="Give --body 'cube: half_width=0.05' and --body-mass 0.37, or shape and "
                "mass below [body] of a study file.",
            )

    @property
    def given(self) -> bool:
        """Whether there is such a body."""
        return self.shape is not None


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(Section):
    """How to read the files where they do not say it themselves: `calibration.read_trajectory`,
    `calibration.read_impact_table`.

    Example:
        >>> import calibration as cal
        >>> cal.studies.ReadingOptions(sigma=0.001).sigma
        0.001
    """

    section: ClassVar[str] = "reading"
    panel: ClassVar[str] = "Reading the files"
    columns: Mapping[str, str] | None = option(
        "which column holds what, for headers that are not recognised", TEXTS, default=None
    )
    scale: float | None = option(
        "metres per pixel [m/px], for positions in pixels", POSITIVE, default=None, metavar="METRES"
    )
    frame_rate: float | None = option(
        "frames per second [1/s], for files that number their frames",
        POSITIVE,
        default=None,
        metavar="HERTZ",
    )
    vertical: str | None = option(
        "the axis of the file that points up, with a minus sign if it counts downwards",
        one_of("x", "y", "z", "-x", "-y", "-z", metavar="AXIS"),
        default=None,
    )
    sigma: float | Mapping[str, float] | None = option(
        "standard deviation of the positions [m], of times of impacts [s], or of what a table of "
        "impacts holds; found from the data when left out",
        DEVIATIONS,
        default=None,
    )
    speed: float | None = option(
        "impact speed [m/s], for a table of impacts that has none",
        POSITIVE,
        default=None,
        metavar="M/S",
    )
    missing_frames: bool = option(
        "move later times on by the frames that the motion of a ball shows to be missing although "
        "the times are even",
        FLAG,
        default=False,
    )
    files: Mapping[str, Mapping[str, Any]] | None = option(
        "what is said of single files, by their names or patterns: the options of this section, "
        "from and until, radius and mass of the ball in it, left_out with the reason "
        "('drop_3.csv: scale=0.0012, until=1.5')",
        tables_by_name(
            lambda: of_one_file(),
            example="{ 'drop_3.csv' = { scale = 0.0012, until = 1.5 } }",
            metavar="FILE: KEY=VALUE,...",
            check=check_one_file,
        ),
        default=None,
        flags="--file",
    )

    def said_of(self, path: str | os.PathLike[str]) -> dict[str, Any]:
        """What is said of one file, by key; of two entries that mean it, the later one holds.

        Args:
            path: of the file.
        """
        said: dict[str, Any] = {}
        for name, values in (self.files or {}).items():
            if is_meant(name, path):
                said |= values
        return said

    def of(self, path: str | os.PathLike[str]) -> Self:
        """How to read one file.

        Args:
            path: of the file.
        """
        said, own = self.said_of(path), options(type(self))
        return replace(self, files=None, **{key: said[key] for key in own if key in said})

    def interval_of(self, path: str | os.PathLike[str]) -> tuple[float, float]:
        """First and last time of the samples of a file that are used [s].

        Args:
            path: of the file.
        """
        said = self.said_of(path)
        return said.get(FROM, -math.inf), said.get(UNTIL, math.inf)

    def one_sigma(self, of: str, *, example: str) -> float | None:
        """The standard deviation where the files hold one quantity.

        Raises:
            InputError: it is given for several.
        """
        if self.sigma is None or isinstance(self.sigma, float):
            return self.sigma
        raise InputError(f"sigma of {of} is one number", remedy=f"Give --sigma {example}.")


def of_one_file() -> dict[str, Option]:
    """What can be said of one file, by key."""
    reading = {name: about for name, about in options(ReadingOptions).items() if name != "files"}
    ball = {name: about for name, about in options(Ball).items() if name in ("radius", "mass")}
    return {
        **reading,
        FROM: Option("time from which on its samples are used [s]", NUMBER),
        UNTIL: Option("time up to which its samples are used [s]", NUMBER),
        **ball,
        LEFT_OUT: Option("the reason why it is left out", TEXT),
    }


@dataclass(frozen=True, kw_only=True)
class ModelOptions(Section):
    """Which physics is fitted; ``"automatic"`` leaves the choice to what the data can show.

    Example:
        >>> import calibration as cal
        >>> cal.studies.ModelOptions(restitution_law="power law").restitution_law
        'power law'
    """

    section: ClassVar[str] = "model"
    panel: ClassVar[str] = "The physics"
    drag: bool = option(
        "find the drag coefficient of the air, else there is no air", FLAG, default=True
    )
    fluid_density: float = option(
        "density of the air [kg/m^3]", POSITIVE, default=1.2, metavar="KG/M^3"
    )
    gravity: float = option(
        "acceleration of free fall [m/s^2]; 0 for two bodies that slide on a level table",
        NON_NEGATIVE,
        default=9.81,
        metavar="M/S^2",
    )
    length_scale: bool | str = option(
        "find the factor by which all recorded lengths are wrong; automatic: unless spin lifts the "
        "ball, which looks the same",
        AUTOMATIC,
        default="automatic",
    )
    friction: bool | str = option(
        "find the friction coefficient; automatic: where impacts are oblique enough to show it",
        AUTOMATIC,
        default="automatic",
    )
    restitution_law: str | None = option(
        f"how restitution depends on the impact speed: {_LAWS}; by default constant, in "
        "trajectories a power of speed that is unknown within what balls do",
        name_in(RESTITUTION_LAWS, metavar="LAW"),
        default=None,
    )
    normal_law: str | None = option(
        "a law with a force, whose contacts are followed from touch-down to lift-off, instead of "
        f"rigid impacts: {_NORMAL_LAWS}",
        name_in(NORMAL_LAWS, metavar="LAW"),
        default=None,
    )
    friction_law: str = option(
        f"law of the friction, where there is any: {_FRICTION_LAWS}",
        name_in(FRICTION_LAWS, metavar="LAW"),
        default="coulomb",
    )
    surface: str = option(
        f"what the ball bounces on: {_SURFACES}", name_in(SURFACES), default="plane"
    )
    nuisances: tuple[Entry, ...] | None = option(
        "further quantities of the measurement to find, each by its name, with its values where "
        f"it has some ('exposure: known=0.001'): {_NUISANCES}",
        entries_in(NUISANCES),
        default=None,
        flags="--nuisance",
    )
    camera: str = option(
        "what is known of the camera; automatic: its shutter, lens and pixels, and how far the "
        "ball leaves the plane it looks at, are unknown within what cameras do; calibrated: "
        "pictures are true",
        one_of("automatic", CALIBRATED, metavar="CAMERA"),
        default="automatic",
    )
    noise: str | Mapping[str, Any] = option(
        "what is assumed of the errors of the measurements, by its name, with its values where it "
        f"has some ('student t: degrees=4'): {_NOISE_MODELS}",
        entry_in(NOISE_MODELS),
        default=AUTOMATIC_NOISE,
    )
    scatter: bool | str = option(
        "let impacts deviate from the common restitution, one by one; automatic: where nothing "
        "else explains the data",
        AUTOMATIC,
        default="automatic",
    )
    parameters: Mapping[str, Mapping[str, float | str]] | None = option(
        "what is known of parameters of the fit, by their names in fit.json and in their units: a "
        "value (NAME=0.45), or a prior ('NAME: mean=0.45, sd=0.05', 'NAME: median=0.45, "
        "factor=1.1', 'NAME: from=0.4, to=0.5'), start, unit",
        KNOWN_PARAMETERS,
        default=None,
        flags="--parameter",
    )
    lift: bool | str = option(
        "let spin lift the ball (Magnus effect); automatic: where spin is found and flights "
        "without lift do not explain the data",
        AUTOMATIC,
        default="automatic",
    )
    spin: bool | str = option(
        "find the initial spin of each recording, else there is none; automatic: together "
        "with friction",
        AUTOMATIC,
        default="automatic",
    )

    @property
    def law_of_restitution(self) -> str:
        """Name of the restitution law with which a fit begins."""
        return self.restitution_law or CONSTANT


@dataclass(frozen=True, kw_only=True)
class ContactOptions(Section):
    """The contact of another program between two bodies, in the place of the laws of the model.

    Raises:
        InputError: values or free parameters of no contact, or a contact without values.

    Example:
        >>> import calibration as cal
        >>> contact = cal.studies.ContactOptions(
        ...     model="pfc.Linear", values={"kn": 1e5, "fric": 0.2}, free=("kn", "fric")
        ... )
        >>> contact.given
        True
    """

    section: ClassVar[str] = "contact"
    panel: ClassVar[str] = "The contact of another program, between two bodies"
    model: str | None = option(
        f"the contact of another program in the place of the laws: {_CONTACTS}",
        name_in(CONTACTS, metavar="CONTACT"),
        default=None,
        flags="--contact",
    )
    values: Mapping[str, float | str | bool] | None = option(
        "its parameters by their own names: what is known, and first guesses of what is free",
        VALUES,
        default=None,
        flags="--value",
    )
    free: tuple[str, ...] | None = option(
        "the parameters of it that are found, by their own names", NAMES, default=None
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.model is None and (self.values is not None or self.free is not None):
            name = "values" if self.values is not None else "free"
            raise InputError(
                f"{name} of a contact are given, but not which contact",
                remedy=f"Name it: model below [contact], or --contact, one of {_CONTACTS}.",
            )

    @property
    def given(self) -> bool:
        """Whether a contact is named."""
        return self.model is not None


@dataclass(frozen=True, kw_only=True)
class DecayOptions(Section):
    """A body that rolls along a track, or spins on its contact, until it rests.

    Example:
        >>> import calibration as cal
        >>> cal.studies.DecayOptions(slope=1.5).slope_sd
        0.1
    """

    section: ClassVar[str] = "decay"
    panel: ClassVar[str] = "A body that rolls or spins to rest"
    rolling_law: str = option(
        f"how the rolling resistance depends on the speed: {_ROLLING_LAWS}",
        name_in(ROLLING_LAWS, metavar="LAW"),
        default="constant",
    )
    spinning_law: str | None = option(
        f"what the spinning friction acts on: {_SPINNING_LAWS}; lever, unless the radius of the "
        "contact is known",
        name_in(SPINNING_LAWS, metavar="LAW"),
        default=None,
    )
    slope: float | None = option(
        "slope of the track [deg], positive where it goes down towards larger positions; found "
        "when left out, from runs in both directions",
        NUMBER,
        default=None,
        metavar="DEGREES",
    )
    slope_sd: float = option(
        "standard deviation of the slope that is given [deg]",
        POSITIVE,
        default=0.1,
        metavar="DEGREES",
    )
    contact_radius: float | None = option(
        "radius of the contact on which a body spins [m]; that of a disc is its own",
        POSITIVE,
        default=None,
        metavar="METRES",
    )


@dataclass(frozen=True, kw_only=True)
class FitOptions(Section):
    """How the best values are searched for.

    Example:
        >>> import calibration as cal
        >>> cal.studies.FitOptions(steps=50).steps
        50
    """

    section: ClassVar[str] = "fit"
    panel: ClassVar[str] = "The physics"
    method: str = option(
        "optimiser: levenberg_marquardt, dogleg, adam, adamw, lion, sgd or lbfgs",
        one_of("levenberg_marquardt", "dogleg", "adam", "adamw", "lion", "sgd", "lbfgs"),
        default="levenberg_marquardt",
    )
    steps: int | None = option(
        "at most so many iterations of each search, in each of its stages; without it 300, of "
        "adam and its like 3000",
        WHOLE,
        default=None,
    )


@dataclass(frozen=True, kw_only=True)
class ProfileOptions(Section):
    """How intervals are read off the profile of the likelihood: `calibration.uncertainty.profile`.

    Example:
        >>> import calibration as cal
        >>> cal.studies.ProfileOptions(level=0.68).level
        0.68
    """

    section: ClassVar[str] = "profile"
    names: tuple[str, ...] | None = option(
        "the parameters to profile, as fit.json names them; all that were fitted when left out",
        NAMES,
        default=None,
        flags="--name",
    )
    level: float = option(
        "probability with which an interval is to contain the true value", FRACTION, default=0.95
    )


@dataclass(frozen=True, kw_only=True)
class BootstrapOptions(Section):
    """How the data are drawn again: `calibration.uncertainty.bootstrap`.

    Example:
        >>> import calibration as cal
        >>> cal.studies.BootstrapOptions(count=2000).kind
        'residual'
    """

    section: ClassVar[str] = "bootstrap"
    count: int = option("how many times", at_least(2), default=500)
    seed: int = option("another number, other draws", NATURAL, default=0)
    kind: str = option(
        "what is drawn: residual, moving_block (correlated noise), trial (whole recordings) "
        "or parametric",
        one_of("residual", "moving_block", "trial", "parametric", metavar="KIND"),
        default="residual",
    )


@dataclass(frozen=True, kw_only=True)
class PosteriorOptions(Section):
    """How the posterior distribution is sampled: `calibration.uncertainty.posterior`.

    Example:
        >>> import calibration as cal
        >>> cal.studies.PosteriorOptions(samples=4000).chains
        4
    """

    section: ClassVar[str] = "posterior"
    samples: int = option("samples of each chain", at_least(4), default=1000)
    warmup: int = option("steps before them, which adapt the sampler", WHOLE, default=1000)
    chains: int = option(
        "independent chains, which are compared with each other", at_least(2), default=4
    )
    seed: int = option("another number, other samples", NATURAL, default=0)


@dataclass(frozen=True, kw_only=True)
class CompareOptions(Section):
    """Which models are compared: `calibration.selection.compare`.

    Example:
        >>> import calibration as cal
        >>> cal.studies.CompareOptions(models=["constant", "plastic"]).models
        ('constant', 'plastic')
    """

    section: ClassVar[str] = "compare"
    models: tuple[str, ...] | None = option(
        f"the restitution laws to compare, some of {_LAWS}; all when left out",
        names_in(RESTITUTION_LAWS),
        default=None,
        flags="--model",
    )
    cross_validate: bool = option(
        "predict each recording from the others, too",
        FLAG,
        default=False,
        flags="--hold-out/--no-hold-out",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.models is not None and len(set(self.models)) < max(2, len(self.models)):
            raise InputError(
                f"models = {list(self.models)} are not two or more different ones to compare",
                remedy=f"Name each once, at least two of {_LAWS}, or leave models out for all.",
            )


@dataclass(frozen=True, kw_only=True)
class DesignOptions(Section):
    """Which further experiments could be done: `calibration.planning.rank`.

    Example:
        >>> import calibration as cal
        >>> cal.studies.DesignOptions(heights=[0.5, 1]).heights
        (0.5, 1.0)
    """

    section: ClassVar[str] = "design"
    interest: tuple[str, ...] | None = option(
        "the parameters one wants to know better, as fit.json names them; all when left out",
        NAMES,
        default=None,
    )
    heights: tuple[float, ...] = option(
        "heights from which the ball could be dropped [m]",
        NUMBERS,
        default=(0.1, 0.3, 1.0),
        flags="--height",
        metavar="METRES",
    )
    angles: tuple[float, ...] | None = option(
        "angles from the normal at which it could be thrown [deg]",
        NUMBERS,
        default=None,
        flags="--angle",
        metavar="DEGREES",
    )
    frame_rates: tuple[float, ...] = option(
        "cameras at hand [frames/s]",
        NUMBERS,
        default=(120.0, 240.0, 1000.0),
        flags="--frame-rate",
        metavar="HERTZ",
    )
    repeats: int = option("how often an experiment would be repeated", WHOLE, default=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        level = [angle for angle in self.angles or () if angle >= 90]
        if level:
            raise InputError(
                f"angles = {level[0]:g} is not below 90 degrees from the normal",
                remedy="Give angles in degrees from the normal of the surface, 0 for a drop.",
            )


@dataclass(frozen=True, kw_only=True)
class SweepOptions(Section):
    """What is varied, how, and what is kept of each motion: `calibration.sweeps.sweep`.

    Example:
        >>> import calibration as cal
        >>> vary = {"restitution": {"from": 0.5, "to": 0.9}, "position_z": [0.2, 0.4]}
        >>> cal.studies.SweepOptions(vary=vary).vary["position_z"]
        (0.2, 0.4)
    """

    section: ClassVar[str] = "sweep"
    panel: ClassVar[str] = "The sweep"
    vary: Mapping[str, object] | None = option(
        "what is varied, by the names of parameters: a range, or a list of levels; once for each",
        VARIED,
        default=None,
    )
    values: Mapping[str, float | str | bool] | None = option(
        "values of parameters that are not varied, by their names",
        VALUES,
        default=None,
        flags="--fixed",
    )
    design: str = option(
        f"which combinations are simulated: {', '.join(DESIGNS)}",
        one_of(*DESIGNS, metavar="DESIGN"),
        default="latin hypercube",
    )
    number: int | None = option(
        "how many variants, for a design that is no grid; 1024 when left out", WHOLE, default=None
    )
    seed: int = option("another number, another design", NATURAL, default=0)
    responses: tuple[str, ...] | None = option(
        f"what is kept of each motion: {_RESPONSES}; the usual ones when left out",
        names_in(RESPONSES),
        default=None,
        flags="--response",
    )
    impacts: int = option("how many first impacts are kept", WHOLE, default=1)
    duration: float = option("how long each variant lasts [s]", POSITIVE, default=1.0)
    position: tuple[float, float, float] | None = option(
        "where the centre of the ball, body 1 of two, begins [m]", VECTOR, default=None
    )
    velocity: tuple[float, float, float] = option(
        "its velocity at the start [m/s]", VECTOR, default=(0.0, 0.0, 0.0)
    )
    spin: tuple[float, float, float] = option(
        "its angular velocity at the start [rad/s]", VECTOR, default=(0.0, 0.0, 0.0)
    )
    partner_position: tuple[float, float, float] | None = option(
        "where the centre of the other body, body 2, begins [m]", VECTOR, default=None
    )
    partner_velocity: tuple[float, float, float] = option(
        "velocity of the other body at the start [m/s]", VECTOR, default=(0.0, 0.0, 0.0)
    )
    partner_spin: tuple[float, float, float] = option(
        "angular velocity of the other body at the start [rad/s]", VECTOR, default=(0.0, 0.0, 0.0)
    )

    @property
    def given(self) -> bool:
        """Whether anything is said of a sweep."""
        return self != SweepOptions()


@dataclass(frozen=True, kw_only=True)
class ExportOptions(Section):
    """Which files are written of a fit: `calibration.report.EXPORTERS`.

    Example:
        >>> import calibration as cal
        >>> cal.studies.ExportOptions(exporters=["table"]).exporters
        ('table',)
    """

    section: ClassVar[str] = "export"
    exporters: tuple[str, ...] | None = option(
        f"further files to write of a fit, by the names of their exporters: {_EXPORTERS}",
        names_in(EXPORTERS),
        default=None,
        flags="--export",
    )


FILES_OPTION = Option(
    "the recordings or the tables of impacts: files, directories, or patterns", FILES
)
EXTENSIONS_OPTION = Option(
    "modules that register measurements, laws, nuisances, surfaces or exporters: names as in an "
    "import, or Python files",
    NAMES,
    flags="--extension",
    metavar="MODULE",
)
SECTIONS: tuple[type[Section], ...] = (
    Ball,
    Partner,
    BodyOptions,
    ReadingOptions,
    ModelOptions,
    ContactOptions,
    DecayOptions,
    FitOptions,
)
"""What decides on a fit."""

AFTER_FIT: tuple[type[Section], ...] = (
    ProfileOptions,
    BootstrapOptions,
    PosteriorOptions,
    CompareOptions,
    DesignOptions,
    SweepOptions,
    ExportOptions,
)
"""What is done with it."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """A whole fit. The sections are attributes of their own names.

    Attributes:
        files: recordings or tables of impacts: files, directories, or patterns such as
            ``drops/*.csv``.
        ball: what bounces; ``None`` where a body that is no ball does.
        partner: the other body, where the files hold the motion of two.
        body: what bounces in the place of a ball.
        extensions: modules that were imported for it, which register further measurements, laws,
            nuisances, surfaces and exporters (``calibration.studies.load_extensions``).
        reading: how to read the files.
        model: which physics is fitted.
        contact: of another program, in the place of the laws between two bodies.
        decay: of bodies that roll or spin to rest.
        fit: how.
        profile, bootstrap, posterior, compare, design: options of what goes on from a fit.
        sweep: what is varied in simulations, which need no files.
        export: which files are written of it.

    Raises:
        InputError: no files, and nothing to sweep; neither a ball nor a body, or both.

    Example:
        >>> import calibration as cal
        >>> ball = cal.studies.Ball(radius=0.02, mass=0.0027, shell=True)
        >>> study = cal.studies.Study(files=["drops/*.csv"], ball=ball)
        >>> study.model.gravity
        9.81
    """

    files: tuple[str, ...]
    ball: Ball | None = None
    extensions: tuple[str, ...] = ()
    partner: Partner = Partner()
    body: BodyOptions = BodyOptions()
    reading: ReadingOptions = ReadingOptions()
    model: ModelOptions = ModelOptions()
    contact: ContactOptions = ContactOptions()
    decay: DecayOptions = DecayOptions()
    fit: FitOptions = FitOptions()
    profile: ProfileOptions = ProfileOptions()
    bootstrap: BootstrapOptions = BootstrapOptions()
    posterior: PosteriorOptions = PosteriorOptions()
    compare: CompareOptions = CompareOptions()
    design: DesignOptions = DesignOptions()
    sweep: SweepOptions = SweepOptions()
    export: ExportOptions = ExportOptions()

    def __post_init__(self) -> None:
        given = (self.files,) if isinstance(self.files, str | os.PathLike) else self.files
        needless = not given and self.sweep.given
        object.__setattr__(self, "files", () if needless else FILES_OPTION.check("files", given))
        check_what_bounces(self)

    @property
    def one_ball(self) -> Ball:
        """The ball of a study that is not of another body."""
        assert self.ball is not None  # see ``check_what_bounces`` and ``kind_of_study``
        return self.ball


def check_what_bounces(study: Study) -> None:
    """Check that a study is of a ball, with or without a partner, or of another body.

    Args:
        study: with its sections.

    Raises:
        InputError: neither, or both.
    """
    if not study.body.given and study.ball is None:
        raise InputError(
            "nothing is said of what bounces",
            remedy="Give the radius and the mass of a ball, or the shape and the mass of a body.",
        )
    both = "ball" if study.ball is not None else "partner" if study.partner.given else None
    if study.body.given and both is not None:
        raise InputError(
            f"a body and a {both} are both given, but one thing bounces",
            remedy=f"Leave out [{both}], or [body].",
        )
