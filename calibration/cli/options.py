"""The command line's options for a study: generated from the study's own options, and put together
with a study file.
"""

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import typer
from rich.markup import escape

from calibration.errors import InputError
from calibration.studies.extensions import load_extensions
from calibration.studies.option import Option, options, required
from calibration.studies.study import (
    AFTER_FIT,
    EXTENSIONS_OPTION,
    SECTIONS,
    Ball,
    BodyOptions,
    Section,
    Study,
)
from calibration.studies.toml import is_study_file, read_study

RESULT, MOTION = "Results", "The motion"
"""Panels of help texts."""

FLAG = " "
"""In the place of the name of a value, for options without one."""

EXTENSIONS = "extensions"
"""Name of the option that is of no section."""

Function = TypeVar("Function", bound=Callable[..., Any])
Selection = Mapping[type[Section], Sequence[str]]
"""Names of options by section."""


@dataclasses.dataclass(frozen=True)
class GivenOptions:
    """What the command line gives of the options of a study.

    A verb with a parameter of this type has all options that it asks for, and need not repeat
    them.

    Attributes:
        sections: values by section and name; what was not given is missing.
        extensions: modules to import.
    """

    sections: Mapping[type[Section], Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    extensions: tuple[str, ...] = ()

    def of(self, section: type[Section]) -> Mapping[str, Any]:
        """What is given of a section, by name."""
        return self.sections.get(section, {})


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


@dataclasses.dataclass(frozen=True)
class AskedOptions:
    """What is asked for: what the command line gives, and else what a study file gives.

    Attributes:
        files: of the command line or of the study file.
        extensions: of both.
        sections: values by section and name; what neither gives is missing.
    """

    files: tuple[str, ...]
    extensions: tuple[str, ...]
    sections: Mapping[type[Section], Mapping[str, Any]]

    def study(self) -> Study:
        """The study.

        Raises:
            InputError: no radius or mass, a value that is not allowed.
        """
        body = BodyOptions(**self.sections[BodyOptions])
        absent = Ball if body.given and not self.sections[Ball] else None
        if absent is None:
            check_given(self.sections[Ball], *required(Ball))
        sections: dict[str, Any] = {
            section.section: section(**values)
            for section, values in self.sections.items()
            if section is not absent
        }
        return Study(files=self.files, extensions=self.extensions, **sections)


def ask(files: Sequence[str], given: GivenOptions) -> AskedOptions:
    """Put a study file, where there is one, and the command line together.

    Args:
        files: as given.
        given: the options that are given.
    """
    path = study_file(files)
    study = read_study(path) if path is not None else None
    sections = {}
    for section in (*SECTIONS, *AFTER_FIT):
        known = getattr(study, section.section) if study is not None else None
        before = {} if known is None else vars(known)
        sections[section] = {**before, **_merged(section, before, given.of(section))}
    before = study.extensions if study is not None else ()
    extensions = tuple(dict.fromkeys((*before, *given.extensions)))
    return AskedOptions(study.files if study is not None else tuple(files), extensions, sections)


def _merged(
    section: type[Section], before: Mapping[str, Any], given: Mapping[str, Any]
) -> Mapping[str, Any]:
    """What is given, with the entries of a study file beside it where an option is a table of what
    is said of several things by their names; what is said twice, the command line says.
    """

    def together(name: str, value: Any) -> Any:
        kept = before.get(name) if options(section)[name].kind.merged else None
        return value if kept is None else {**kept, **value}

    return {name: together(name, value) for name, value in given.items()}


def check_given(ball: Mapping[str, Any], *names: str) -> None:
    """Raise when the radius or the mass of the ball is among the ``names`` and not given."""
    for name in names:
        if name not in ball:
            example = {"radius": "0.02", "mass": "0.0027"}[name]
            raise InputError(
                f"the {name} of the ball is not given",
                remedy=f"Add it, for a table-tennis ball --{name} {example}.",
            )
