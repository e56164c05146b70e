"""The command line's options for a study: declared from the study's own options, and put together
with a study file.
"""

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import typer
from rich.markup import escape

from calibration.errors import InputError
from calibration.studies.option import options, required
from calibration.studies.study import (
    AFTER_FIT,
    SECTIONS,
    Ball,
    FitOptions,
    ModelOptions,
    ReadingOptions,
    Section,
    Study,
)
from calibration.studies.toml import is_study_file, read_study

BALL, READING, MODEL, RESULT, MOTION = (
    "The ball",
    "Reading the files",
    "The physics",
    "Results",
    "The motion",
)
FLAG = " "  # in the place of the name of a value
Function = TypeVar("Function", bound=Callable[..., Any])


def flag(flags: str, about: str, panel: str, metavar: str, *, show_default: bool = False) -> Any:
    """An option of the command line."""
    return typer.Option(
        flags, help=escape(about), metavar=metavar, rich_help_panel=panel, show_default=show_default
    )


def _of_study(
    section: type[Section], name: str, flags: str, panel: str, metavar: str = FLAG
) -> Any:
    """The option of the command line for an option of a study; when it is not given, the study file
    or the default decides.
    """
    about = options(section)[name].about
    default = next(field.default for field in dataclasses.fields(section) if field.name == name)
    shown = ""
    if isinstance(default, bool):
        shown = f" [default: {flags.split('/')[not default]}]"
    elif default not in (None, dataclasses.MISSING):
        shown = f" [default: {default}]"
    return flag(flags, f"{about[:1].upper()}{about[1:]}.{shown}", panel, metavar)


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Recordings or tables of impacts (CSV and the like), directories, patterns such as "
        "'drops/*.csv'; or one study.toml.",
        show_default=False,
    ),
]
Radius = Annotated[float | None, _of_study(Ball, "radius", "--radius", BALL, "METRES")]
Mass = Annotated[float | None, _of_study(Ball, "mass", "--mass", BALL, "KILOGRAMS")]
Shell = Annotated[bool | None, _of_study(Ball, "shell", "--shell/--solid", BALL)]
Columns = Annotated[
    list[str] | None,
    _of_study(ReadingOptions, "columns", "--columns", READING, "t=HEADER,z=HEADER"),
]
Scale = Annotated[float | None, _of_study(ReadingOptions, "scale", "--scale", READING, "METRES")]
FrameRate = Annotated[
    float | None, _of_study(ReadingOptions, "frame_rate", "--frame-rate", READING, "HERTZ")
]
Vertical = Annotated[
    str | None, _of_study(ReadingOptions, "vertical", "--vertical", READING, "AXIS")
]
Sigma = Annotated[
    str | None, _of_study(ReadingOptions, "sigma", "--sigma", READING, "SD or x=SD,z=SD")
]
Speed = Annotated[float | None, _of_study(ReadingOptions, "speed", "--speed", READING, "M/S")]
Drag = Annotated[bool | None, _of_study(ModelOptions, "drag", "--drag/--no-drag", MODEL)]
FluidDensity = Annotated[
    float | None, _of_study(ModelOptions, "fluid_density", "--fluid-density", MODEL, "KG/M^3")
]
Gravity = Annotated[float | None, _of_study(ModelOptions, "gravity", "--gravity", MODEL, "M/S^2")]
LengthScale = Annotated[
    bool | None, _of_study(ModelOptions, "length_scale", "--length-scale/--no-length-scale", MODEL)
]
Friction = Annotated[
    bool | None, _of_study(ModelOptions, "friction", "--friction/--no-friction", MODEL)
]
Spin = Annotated[bool | None, _of_study(ModelOptions, "spin", "--spin/--no-spin", MODEL)]
RestitutionLaw = Annotated[
    str | None, _of_study(ModelOptions, "restitution_law", "--restitution-law", MODEL, "LAW")
]
Lift = Annotated[bool | None, _of_study(ModelOptions, "lift", "--lift/--no-lift", MODEL)]
Method = Annotated[str | None, _of_study(FitOptions, "method", "--method", MODEL, "NAME")]
Steps = Annotated[int | None, _of_study(FitOptions, "steps", "--steps", MODEL, "COUNT")]
Force = Annotated[bool, flag("--force", "Replace whatever is there.", RESULT, FLAG)]


def verb(app: typer.Typer, *examples: str) -> Callable[[Function], Function]:
    """Make a command of a function; its docstring, without the line breaks inside paragraphs, is
    the help text.
    """

    def register(function: Function) -> Function:
        paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
        about = "\n\n".join(escape(" ".join(paragraph.split())) for paragraph in paragraphs)
        epilog = "\b\nExamples:\n" + "\n".join(f"  {escape(example)}" for example in examples)
        return app.command(help=about, epilog=epilog)(function)

    return register


def study_file(files: Sequence[str]) -> str | None:
    """The study file among the arguments, which must then be the only one."""
    studies = [file for file in files if is_study_file(file)]
    if studies and len(files) > 1:
        raise InputError(
            "a study file names its data itself",
            remedy="Give the study file alone, or the data alone.",
            path=studies[0],
        )
    return studies[0] if studies else None


def asked(
    files: Sequence[str], given: Mapping[str, Any]
) -> tuple[tuple[str, ...], dict[type[Section], dict[str, Any]]]:
    """Files, and options by section: what the command line gives, and else what a study file gives.

    Args:
        files: as given.
        given: options by name, ``None`` where not given; others than those of a study are ignored.
    """
    path = study_file(files)
    study = read_study(path) if path is not None else None
    parsed = {
        **given,
        "columns": parsed_columns(given.get("columns")),
        "sigma": parsed_sigma(given.get("sigma")),
    }
    together = {}
    for cls in (*SECTIONS, *AFTER_FIT):
        before = vars(getattr(study, cls.section)) if study is not None else {}
        together[cls] = {
            **before,
            **{name: parsed[name] for name in options(cls) if parsed.get(name) is not None},
        }
    return study.files if study is not None else tuple(files), together


def asked_study(files: Sequence[str], given: Mapping[str, Any]) -> Study:
    """The study that is asked for: the files of the command line or of a study file, and the
    options as in ``asked``.
    """
    paths, sections = asked(files, given)
    check_given(sections[Ball], *required(Ball))
    return Study(files=paths, **{cls.section: cls(**values) for cls, values in sections.items()})  # type: ignore[arg-type]


def check_given(ball: Mapping[str, Any], *names: str) -> None:
    """Raise when the radius or the mass of the ball is among the ``names`` and not given."""
    for name in names:
        if name not in ball:
            example = {"radius": "0.02", "mass": "0.0027"}[name]
            raise InputError(
                f"the {name} of the ball is not given",
                remedy=f"Add it, for a table-tennis ball --{name} {example}.",
            )


def parsed_columns(texts: Sequence[str] | None) -> dict[str, str] | None:
    """``t=Zeit,z=Lage`` as a table; a header may contain commas and equals signs."""
    pairs = [
        pair.partition("=") for text in texts or () for pair in re.split(r",(?=\s*\w+\s*=)", text)
    ]
    for key, sign, header in pairs:
        if not (sign and key.strip() and header.strip()):
            raise InputError(
                f"--columns: {key + sign + header!r} is not KEY=HEADER",
                remedy="Give for example --columns 't=Zeit,z=Lage'.",
            )
    return {key.strip(): header.strip() for key, _, header in pairs} or None


def parsed_sigma(text: str | None) -> float | dict[str, float] | None:
    """``0.002`` as a number, ``x=0.002,z=0.001`` as a table."""
    if text is None:
        return None
    try:
        if "=" not in text:
            return float(text)
        return {
            key.strip(): float(value)
            for key, _, value in (pair.partition("=") for pair in text.split(","))
        }
    except ValueError:
        raise InputError(
            f"--sigma: {text!r} is not understood",
            remedy="Give --sigma 0.002 or --sigma x=0.002,z=0.001.",
        ) from None
