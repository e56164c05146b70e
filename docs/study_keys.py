"""The table of all keys of a study file, drawn from the declarations that read, check and suggest
them.

``python -m docs.study_keys`` writes it anew.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from calibration.studies.choices.known_parameters import SCHEMA
from calibration.studies.choices.noise_models import NOISE_MODELS
from calibration.studies.choices.nuisances import NUISANCES
from calibration.studies.choices.shapes import SHAPES
from calibration.studies.option import Option, as_toml, options, required
from calibration.studies.study import (
    AFTER_FIT,
    EXTENSIONS_OPTION,
    FILES_OPTION,
    SECTIONS,
    ReadingOptions,
    of_one_file,
)

FILE = Path(__file__).parent / "study_file.md"
BEGIN, END = "<!-- all keys, written by docs/study_keys.py -->", "<!-- end of all keys -->"
HEAD = "| key | on the command line | what it means | unit | allowed | default |"


def row(
    place: str,
    key: str,
    about: Option,
    *,
    flags: str = "",
    needed: bool = False,
    default: Any = None,
) -> str:
    """A line of the table.

    Args:
        place: the table of the file that holds the key.
        key: its name.
        about: what is known of it.
        flags: on the command line.
        needed: whether it must be given.
        default: what holds where it is left out.
    """
    unit = re.search(r"\[([^\]\s]+)\]", about.about)
    allowed = about.kind.allowed if isinstance(about.kind.allowed, str) else about.kind.allowed()
    shown = "needed" if needed else "" if default is None else f"`{as_toml(default)}`"
    cells = (
        f"`{place}` `{key}`" if place else f"`{key}`",
        f"`{flags}`" if flags else "",
        about.about,
        "" if unit is None else unit[1],
        allowed,
        shown,
    )
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def rows() -> Iterator[str]:
    """All lines of the table."""
    yield row("", "files", FILES_OPTION, flags="FILES", needed=True)
    yield row("", "extensions", EXTENSIONS_OPTION, flags="--extension")
    for section in (*SECTIONS, *AFTER_FIT):
        for name, about in options(section).items():
            yield row(
                f"[{section.section}]",
                name,
                about,
                flags=about.flags_of(name),
                needed=name in required(section),
                default=about.default,
            )
            if section is ReadingOptions and name == "files":
                yield from of_table("[reading.files.'NAME']", of_one_file())
            if name == "shape":
                for shape in SHAPES:
                    yield from of_table(f"shape '{shape.name}'", shape.values, shape.needs)
            if name == "nuisances":
                for choice in NUISANCES:
                    yield from of_table(f"nuisance '{choice.name}'", choice.values, choice.needs)
            if name == "noise":
                for model in NOISE_MODELS:
                    yield from of_table(f"noise '{model.name}'", model.values, model.needs)
            if name == "parameters":
                yield from of_table("[model.parameters.'NAME']", SCHEMA)


def of_table(
    place: str, values: Mapping[str, Option], needs: tuple[str, ...] = ()
) -> Iterator[str]:
    """The lines of a table of values.

    Args:
        place: where it stands.
        values: by key.
        needs: keys that must be given.
    """
    for key, about in values.items():
        yield row(place, key, about, needed=key in needs, default=about.default)


def draw() -> str:
    """The table."""
    return "\n".join([BEGIN, "", HEAD, "|---|---|---|---|---|---|", *rows(), "", END])


def page(text: str) -> str:
    """The page with the table as it is now.

    Args:
        text: of the page.
    """
    before, _, rest = text.partition(BEGIN)
    return f"{before}{draw()}{rest.partition(END)[2]}"


if __name__ == "__main__":
    FILE.write_text(page(FILE.read_text(encoding="utf-8")), encoding="utf-8")
