"""The command line's options for a study: generated from the study's own options, and put together
with a study file.
"""

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import typer
from rich.markup import escape

from calibration.studies.extensions import load_extensions
from calibration.studies.option import Option, options
from calibration.studies.steps.asked_options import GivenOptions
from calibration.studies.study import EXTENSIONS_OPTION, SECTIONS, Section

RESULT, MOTION = "Results", "The motion"
"""Panels of help texts."""

FLAG = " "
"""In the place of the name of a value, for options without one."""

EXTENSIONS = "extensions"
"""Name of the option that is of no section."""

Function = TypeVar("Function", bound=Callable[..., Any])
Selection = Mapping[type[Section], Sequence[str]]
"""Names of options by section."""


def flag(flags: str, about: str, panel: str, metavar: str, *, show_default: bool = False) -> Any:
    """An option of the command line, with one name or several, ``--to, --out``."""
    return typer.Option(
        *flags.split(", "),
        help=escape(about),
        metavar=metavar,
        rich_help_panel=panel,
        show_default=show_default,
    )


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Recordings or tables of impacts (CSV and the like), directories, patterns such as "
        "'drops/*.csv'; or one study.toml.",
        show_default=False,
    ),
]
Cluster = Annotated[
    str | None,
    flag(
        "--cluster",
        "Compute on the workers of a cluster: local, local:4 (so many on this machine), or the "
        "address or the file of a scheduler of Dask.",
        RESULT,
        "WHERE",
    ),
]
Force = Annotated[bool, flag("--force", "Replace whatever is there.", RESULT, FLAG)]


def all_of(*sections: type[Section]) -> Selection:
    """All options of the sections."""
    return {section: tuple(options(section)) for section in sections}


STUDY: Selection = all_of(*SECTIONS)
"""What decides on a fit."""


def verb(
    app: typer.Typer, *examples: str, study_options: Selection | None = None
) -> Callable[[Function], Function]:
    """Make a command of a function; its docstring, without the line breaks inside paragraphs, is
    the help text.

    Args:
        app: the application.
        examples: command lines, for the help text.
        study_options: options of a study that the command has; they reach the function as its
            parameter of the type ``GivenOptions``.
    """

    def register(function: Function) -> Function:
        paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
        about = "\n\n".join(escape(" ".join(paragraph.split())) for paragraph in paragraphs)
        epilog = "\b\nExamples:\n" + "\n".join(f"  {escape(example)}" for example in examples)
        command = function if study_options is None else _with_options(function, study_options)
        app.command(help=about, epilog=epilog)(command)
        return function

    return register


def _with_options(function: Function, selection: Selection) -> Callable[..., Any]:
    """The function with a parameter for each option, in place of that of type ``GivenOptions``."""
    signature = inspect.signature(function)
    (gathered,) = (
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.annotation is GivenOptions
    )
    generated = [
        _parameter(name, options(section)[name], section)
        for section, names in selection.items()
        for name in names
    ]
    if set(SECTIONS) <= set(selection):
        generated.append(_parameter(EXTENSIONS, EXTENSIONS_OPTION, Section))
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        parameters += generated if parameter.name == gathered else [parameter]

    def command(**values: Any) -> Any:
        sections = {section: _given(section, names, values) for section, names in selection.items()}
        extensions = tuple(values.pop(EXTENSIONS, None) or ())
        given = GivenOptions(sections, load_extensions(extensions))
        return function(**values, **{gathered: given})

    command.__name__ = function.__name__
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {item.name: item.annotation for item in parameters}
    return command


def _parameter(name: str, option: Option, section: type[Section]) -> inspect.Parameter:
    """An option of a study as a parameter; when it is not given, the study file or the default
    decides.
    """
    default = next(
        (field.default for field in dataclasses.fields(section) if field.name == name), None
    )
    flags, shown = option.flags_of(name), ""
    if isinstance(default, bool):
        shown = f" [default: {flags.split('/')[not default]}]"
    elif isinstance(default, tuple):
        shown = f" [default: {', '.join(f'{value:g}' for value in default)}]"
    elif default not in (None, dataclasses.MISSING):
        shown = f" [default: {default}]"
    about = f"{option.about[:1].upper()}{option.about[1:]}.{shown}"
    typed = flag(flags, about, section.panel, option.metavar or option.kind.metavar)
    return inspect.Parameter(
        _key(section, name),
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=None,
        annotation=Annotated[option.kind.typed | None, typed],
    )


def _key(section: type[Section], name: str) -> str:
    """Name of the parameter of an option: two sections may have one of the same name."""
    return name if section is Section else f"{section.section}_{name}"


def _given(section: type[Section], names: Sequence[str], values: dict[str, Any]) -> dict[str, Any]:
    """What was typed of a section, taken out of all values and parsed."""
    given = {}
    for name in names:
        typed, parse = values.pop(_key(section, name)), options(section)[name].kind.parse
        if typed is not None and typed != []:
            given[name] = typed if parse is None else parse(typed)
    return given
