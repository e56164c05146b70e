"""What is asked for: options given on the command line or on the local page, put together with a
study file.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from calibration.errors import InputError
from calibration.studies.option import options, required
from calibration.studies.study import AFTER_FIT, SECTIONS, Ball, BodyOptions, Section, Study
from calibration.studies.toml import is_study_file, read_study


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
