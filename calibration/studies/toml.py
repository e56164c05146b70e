"""A study as a TOML file: every mistake in it named by its line; written with the meaning of each
option and fingerprints of the data.
"""

import glob
import hashlib
import os
import re
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import tomlkit

from calibration.errors import InputError
from calibration.io.atomic import write_atomically
from calibration.io.contents import read_contents
from calibration.io.names import existing_path, readable_name
from calibration.io.spin_files import find_all_files
from calibration.runtime.versions import installed_versions
from calibration.studies.extensions import SUFFIX, load_extensions
from calibration.studies.option import options, required, toml_item
from calibration.studies.study import (
    AFTER_FIT,
    EXTENSIONS_OPTION,
    FILES_OPTION,
    SECTIONS,
    Ball,
    BodyOptions,
    Partner,
    Section,
    Study,
    SweepOptions,
)


class ChangedData(UserWarning):
    """The data of a study are not those with which it was written."""


_SECTIONS = (*SECTIONS, *AFTER_FIT)
_TOP = ("extensions", "files", *(cls.section for cls in _SECTIONS), "provenance")

# Reading


def read_study(path: str | os.PathLike[str]) -> Study:
    r"""Read a study from a TOML file. Its files are relative to it; in the result they are relative
    to the current directory.

    Where the study was written by a fit it says which data it was made from; a warning says when
    they are different now.

    Raises:
        InputError: with the file, the line and the key: no such file, no TOML, an unknown key, a
            value that is not allowed, no radius.

    Example:
        >>> import pathlib, tempfile
        >>> import calibration as cal
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "study.toml"
        >>> text = "files = ['drops/*.csv']\n[ball]\nradius = 0.02\nmass = 0.0027"
        >>> _ = file.write_text(text)
        >>> cal.studies.read_study(file).ball.mass
        0.0027
    """
    source = os.fspath(path)
    text = _text(source)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(error, source) from None
    line = _Lines(text)
    _check_keys(content, source, line)
    if "files" not in content and SweepOptions.section not in content:
        raise InputError(
            "files is missing",
            remedy="Say what to fit, for example: files = ['drops/*.csv'], or what to vary, below "
            "[sweep].",
            path=source,
        )
    extensions = _load_extensions(content.get("extensions", ()), source, line)
    given = (
        FILES_OPTION.check("files", content["files"], path=source, line=line.of("files"))
        if "files" in content
        else ()
    )
    # A body bounces in the place of a ball.
    absent = (
        {Ball.section} if BodyOptions.section in content and Ball.section not in content else set()
    )
    sections: dict[str, Any] = {
        cls.section: _read_section(cls, content.get(cls.section, {}), source, line)
        for cls in _SECTIONS
        if cls.section not in absent
    }
    study = Study(
        files=tuple(_from_folder(os.path.dirname(source), file) for file in given),
        extensions=extensions,
        **sections,
    )
    hashes = content.get("provenance", {}).get("sha256", {})
    if not isinstance(hashes, dict) or not all(isinstance(text, str) for text in hashes.values()):
        raise InputError(
            "sha256 is not a table of a text for each file",
            remedy="Remove the section [provenance]: a fit writes it.",
            path=source,
            line=line.of("provenance", "sha256"),
        )
    _warn_of_changes(hashes, source)
    return study


def is_study_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path given by a person means a study rather than data."""
    return os.fspath(path).lower().endswith(".toml")


def made_by_fit(path: str | os.PathLike[str]) -> bool:
    """Whether `write_study` wrote this file (rather than a person)."""
    try:
        return "provenance" in tomllib.loads(_text(os.fspath(path)))
    except (InputError, tomllib.TOMLDecodeError):
        return False


def _text(source: str) -> str:
    try:
        return read_contents(source).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            "the file is not text in UTF-8", remedy="Save it as UTF-8.", path=source
        ) from None


def _syntax_error(error: tomllib.TOMLDecodeError, source: str) -> InputError:
    found = re.search(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$", str(error))
    said = str(error)[: found.start()] if found else str(error)
    line = int(found[1]) if found and found[1] else None
    remedy = "Texts stand in quotation marks, lists in square brackets: files = ['drops/*.csv']."
    return InputError(
        f"this is not TOML: {said[:1].lower()}{said[1:]}", remedy=remedy, path=source, line=line
    )


def _check_keys(content: Mapping[str, Any], source: str, line: "_Lines") -> None:
    for key, value in content.items():
        if key not in _TOP:
            raise InputError(
                f"unknown key {key!r}",
                remedy=_right_place(key, _TOP),
                path=source,
                line=line.of(key),
            )
        if key not in ("extensions", "files") and not isinstance(value, dict):
            raise InputError(
                f"{key} is a section, not a value",
                remedy=f"Write [{key}] on a line.",
                path=source,
                line=line.of(key),
            )
    for cls in _SECTIONS:
        for key in content.get(cls.section, {}):
            if key not in options(cls):
                remedy = _right_place(key, tuple(options(cls)))
                raise InputError(
                    f"unknown key {key!r} in [{cls.section}]",
                    remedy=remedy,
                    path=source,
                    line=line.of(cls.section, key),
                )


def _right_place(key: str, valid: tuple[str, ...]) -> str:
    """Where an unknown key belongs, or which one was meant."""
    from jaxcontact.parameters import nearest  # imports JAX, which only an error should cost

    homes = [cls.section for cls in _SECTIONS if key in options(cls)]
    return f"It belongs below [{homes[0]}]." if homes else nearest(key, valid).strip()


def _load_extensions(given: Any, source: str, line: "_Lines") -> tuple[str, ...]:
    """Import the modules that the study names, before its options are checked."""
    place = line.of("extensions")
    names = (
        () if not given else EXTENSIONS_OPTION.check("extensions", given, path=source, line=place)
    )
    try:
        return load_extensions(names, folder=os.path.dirname(source))
    except InputError as error:
        raise InputError(
            error.problem, remedy=error.remedy, path=error.path or source, line=error.line or place
        ) from error


def _read_section(
    cls: type[Section], content: Mapping[str, Any], source: str, line: "_Lines"
) -> Section:
    name, known = cls.section, options(cls)
    given = {
        key: known[key].check(key, value, path=source, line=line.of(name, key))
        for key, value in content.items()
    }
    for key in required(cls):
        if key not in given:
            remedy = f"Add it below [{name}]: {known[key].about}."
            raise InputError(f"{key} is missing", remedy=remedy, path=source, line=line.of(name))
    try:
        return cls(**given)
    except InputError as error:
        raise InputError(
            error.problem, remedy=error.remedy, path=source, line=line.of(name)
        ) from None


class _Lines:
    """In which line of a TOML file a key stands, for its usual layouts; the parser does not
    tell.
    """

    _HEADER = re.compile(r"\s*\[\[?([^\[\]]+)\]")
    _ENTRY = re.compile(r"\s*([\w\s.\"'-]+?)\s*=")

    def __init__(self, text: str) -> None:
        self.lines: dict[tuple[str, ...], int] = {}
        section: tuple[str, ...] = ()
        for number, line in enumerate(text.splitlines(), start=1):
            if header := self._HEADER.match(line):
                section = self._parts(header[1])
                self.lines.setdefault(section, number)
            elif entry := self._ENTRY.match(line):
                self.lines.setdefault((*section, *self._parts(entry[1])), number)

    @staticmethod
    def _parts(dotted: str) -> tuple[str, ...]:
        parts = re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", dotted)
        return tuple(part.strip("\"'") for part in parts)

    def of(self, *path: str) -> int | None:
        """The line of a key, or where a table of that name begins; that of the table around it
        where it stands inside braces.
        """
        for size in range(len(path), 0, -1):
            within = (line for key, line in self.lines.items() if key[:size] == path[:size])
            line = self.lines.get(path[:size], min(within, default=None))
            if line is not None:
                return line
        return None


def _from_folder(folder: str, file: str) -> str:
    """A path or pattern of a study in ``folder`` as seen from the current directory."""
    file = os.path.expanduser(file)
    if not folder or os.path.isabs(file):
        return existing_path(file)
    joined = existing_path(
        os.path.join(glob.escape(folder) if glob.has_magic(file) else folder, file)
    )
    shorter = os.path.normpath(joined)
    # Behind a link, ".." does not lead back to where the link stands.
    same = os.path.realpath(os.path.dirname(shorter)) == os.path.realpath(os.path.dirname(joined))
    return shorter if same else joined


def _extension_from(folder: str | os.PathLike[str], name: str) -> str:
    """A module as a study in ``folder`` names it: files by their path, others by their name."""
    return _seen_from(folder, name) if name.endswith(SUFFIX) else name


# Provenance


def fingerprint_files(paths: Iterable[str | os.PathLike[str]]) -> dict[str, str]:
    """The fingerprints of files as they are now, by path, for ``write_study``.

    Raises:
        InputError: a file that cannot be read.
    """
    return {os.fspath(path): _fingerprint(path) for path in paths}


def _fingerprint(path: str | os.PathLike[str]) -> str:
    return hashlib.sha256(read_contents(path)).hexdigest()


def _warn_of_changes(hashes: Mapping[str, str], source: str) -> None:
    """Warn when the data are not those from which the study was made."""
    changes = list(_changes(hashes, os.path.dirname(source)))
    if changes:
        said = (
            f"{source}: since it was written, {', '.join(changes)}. Results may differ from the "
            "earlier ones."
        )
        warnings.warn(said, ChangedData, stacklevel=3)


def _changes(hashes: Mapping[str, str], folder: str) -> Iterator[str]:
    for file, expected in hashes.items():
        path = existing_path(os.path.join(folder, os.path.expanduser(file)))
        if not os.path.isfile(path):
            yield f"{file} is gone"
        elif _fingerprint(path) != expected:
            yield f"{file} has changed"


# Writing

_HEAD = (
    "What to fit, and how: jaxcontact fit study.toml\n"
    "Lengths in m, masses in kg, times in s. A line that begins with # is an option that is left "
    "out; remove the # to give it a value."
)
_PROVENANCE = "Written by the fit. When the data change, a later fit says so."
_EXAMPLES = {
    "spinning_law": '"hertz"',
    "slope": "0.0",
    "contact_radius": "0.0002",
    "radius": "0.03",
    "mass": "0.12",
    "shape": "{ name = 'cube', half_width = 0.05 }",
    "inertia": "[1e-4, 2e-4, 2e-4]",
    "horizon": "0.2",
    "columns": "{ t = 'Zeit', z = 'Lage' }",
    "scale": "0.0015",
    "frame_rate": "240",
    "vertical": '"-y"',
    "sigma": "0.002",
    "speed": "3.9",
    "normal_law": "'hunt-crossley'",
    "restitution_law": "'viscoelastic'",
    "model": "'pfc.Linear'",
    "values": "{ kn = 1e5, fric = 0.3 }",
    "free": "['kn', 'fric']",
    "nuisances": "['gravity tilt', { name = 'exposure', known = 0.001 }]",
    "files": "{ 'drop_3.csv' = { scale = 0.0012, until = 1.5 } }",
    "parameters": "{ 'drag.coefficient' = { mean = 0.45, sd = 0.05 } }",
    "steps": "100",
    "names": "['contact.normal.restitution']",
    "models": "['constant', 'viscoelastic']",
    "interest": "['contact.normal.restitution']",
    "angles": "[30.0, 60.0]",
    "vary": "{ 'contact.normal.restitution' = { from = 0.5, to = 0.9 } }",
    "number": "1024",
    "responses": "['rebound_speed', 'restitution']",
    "position": "[0.0, 0.0, 0.3]",
    "partner_position": "[0.1, 0.0, 0.0]",
    "exporters": "['table']",
}


def write_study(
    study: Study,
    path: str | os.PathLike[str],
    *,
    inputs: Iterable[str | os.PathLike[str]] | Mapping[str, str] | None = None,
    fitted: bool = True,
) -> None:
    r"""Write a study as TOML that `read_study` reads back, with every option, its meaning, and the
    fingerprints of the data.

    Args:
        study: what to write; its relative files are relative to the current directory.
        path: of the file, replaced as a whole or not at all. In it, files are named relative to its
            folder.
        inputs: the data files, with their fingerprints where those were taken when they were read
            (``fingerprint_files``); by default those that ``study.files`` stands for.
        fitted: whether it goes with results; one that is still to be edited holds no fingerprints.

    Raises:
        InputError: the folder does not exist, a data file cannot be read.

    Example:
        >>> import pathlib, tempfile
        >>> import calibration as cal
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "clicks.csv").write_text("t [s]\n0.000\n0.350\n0.665\n0.9485\n")
        >>> study = cal.studies.Study(
        ...     files=[folder / "clicks.csv"], ball=cal.studies.Ball(radius=0.02, mass=0.0027)
        ... )
        >>> cal.studies.write_study(study, folder / "study.toml")
        >>> cal.studies.read_study(folder / "study.toml").ball.radius
        0.02
    """
    write_atomically(
        path,
        study_text(
            study, folder=os.path.dirname(os.fspath(path)), inputs=inputs, fitted=fitted
        ).encode(),
    )


def study_text(
    study: Study,
    *,
    folder: str | os.PathLike[str],
    inputs: Iterable[str | os.PathLike[str]] | Mapping[str, str] | None = None,
    fitted: bool = True,
    remarks: Iterable[str] = (),
) -> str:
    """What `write_study` writes into a file in ``folder``, with comments at its end."""
    document = tomlkit.document()
    for line in _HEAD.splitlines():
        document.add(tomlkit.comment(line))
    document.add(tomlkit.nl())
    files = tomlkit.item([_seen_from(folder, file) for file in study.files]).multiline(
        len(study.files) > 1
    )
    if study.files:
        document.add(
            "files",
            files.comment(
                "relative to this file; directories and patterns such as 'drops/*.csv' are allowed"
            ),
        )
    if study.extensions:
        modules = tomlkit.item([_extension_from(folder, name) for name in study.extensions])
        document.add("extensions", modules.comment(EXTENSIONS_OPTION.about))
    for cls in _SECTIONS:
        if cls not in _foreign(study):
            document.add(tomlkit.nl())
            document.add(cls.section, _section_table(getattr(study, cls.section)))
    if fitted:
        document.add(tomlkit.nl())
        document.add(
            "provenance",
            _provenance(find_all_files(study.files) if inputs is None else inputs, folder),
        )
    below = "".join(f"# {line}\n" for line in remarks)
    return f"{tomlkit.dumps(document)}{below and chr(10)}{below}"


def _foreign(study: Study) -> tuple[type[Section], ...]:
    """Sections that cannot stand beside what bounces in a study."""
    return (Ball, Partner) if study.body.given else (BodyOptions,)


def _section_table(section: Section) -> Any:
    table = tomlkit.table()
    for name, option in options(type(section)).items():
        value = getattr(section, name)
        if value is None:
            table.add(tomlkit.comment(f"{name} = {_EXAMPLES[name]}  # {option.about}"))
        else:
            table.add(name, toml_item(value).comment(option.about))
    return table


def _provenance(
    inputs: Iterable[str | os.PathLike[str]] | Mapping[str, str], folder: str | os.PathLike[str]
) -> Any:
    table, hashes = tomlkit.table(), tomlkit.table()
    table.comment(_PROVENANCE)
    for name, version in installed_versions().items():
        table.add(name, version or "not installed")
    known = inputs if isinstance(inputs, Mapping) else fingerprint_files(inputs)
    for path, digest in known.items():
        hashes.add(_seen_from(folder, path), digest)
    table.add("sha256", hashes)
    return table


def _seen_from(folder: str | os.PathLike[str], file: str | os.PathLike[str]) -> str:
    """A path or pattern as a study in ``folder`` names it: relative where there is such a path."""
    absolute = os.path.abspath(os.path.expanduser(file))
    try:
        # Going up from a folder that is a link leads to where the folder really is.
        seen = os.path.relpath(absolute, os.path.realpath(folder))
    except ValueError:  # another drive
        seen = absolute
    return readable_name(Path(seen).as_posix())
