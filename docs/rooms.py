"""The picture of the rooms, drawn from the layers that `make lint` checks.

``python docs/rooms.py`` draws it anew.
"""

import ast
import re
import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "images" / "rooms.svg"
WIDTH, HEIGHT, GAP, MARGIN, HEAD = 920, 44, 8, 16, 34
CHARACTER = 7.0  # mean width of one of the text
COLOURS = {"calibration": ("#e8f0fb", "#7796c4"), "jaxcontact": ("#eaf5ea", "#79a57a")}
STYLE = (
    "text{font-family:system-ui,sans-serif;fill:#1c2733}"
    ".head{font-size:18px;font-weight:600}.room{font-size:15px;font-weight:600}"
    ".about{font-size:13px;fill:#42505f}"
)


def layers(package: str) -> list[list[str]]:
    """Rows of rooms of a package from top to bottom, as declared in ``pyproject.toml``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in project["tool"]["importlinter"]["contracts"]:
        if contract.get("containers") == [package]:
            return [[room.strip() for room in row.split("|")] for row in contract["layers"]]
    raise KeyError(f"pyproject.toml declares no layers of {package!r}")


def first_sentence(package: str, room: str) -> str:
    """What a room is for: the first sentence of its docstring."""
    place = ROOT / package / room
    source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".").replace("``", "")


def wrapped(text: str, columns: int) -> list[str]:
    """At most two lines. A text that needs more is cut at its first colon or semicolon, else it
    ends in an ellipsis.
    """
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > columns:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    lines.append(line)
    if len(lines) <= 2:
        return lines
    shorter = re.split("[:;] ", text, maxsplit=1)[0]
    if shorter != text:
        return wrapped(shorter, columns)
    return [lines[0], lines[1].rstrip(",;:") + " …"]


def draw() -> str:
    """The picture as SVG. A room imports from rows below its own only."""
    shapes, y = [], MARGIN
    heads = {
        "calibration": "calibration: measured data in, parameters with uncertainty out",
        "jaxcontact": "jaxcontact: the physics, with JAX and NumPy only",
    }
    for package, head in heads.items():
        rows = layers(package)
        fill, edge = COLOURS[package]
        shapes.append(f'<text class="head" x="{MARGIN}" y="{y + 18}">{escape(head)}</text>')
        y += HEAD
        for row in rows:
            width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
            stacked = len(row) > 2  # narrow: the text stands below the name
            height = HEIGHT + 18 if stacked else HEIGHT
            for column, room in enumerate(row):
                x = MARGIN + column * (width + GAP)
                name = 10 if stacked else 10 + 10 * len(room) + 12
                shapes.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" rx="6" '
                    f'fill="{fill}" stroke="{edge}"/>'
                )
                shapes.append(
                    f'<text class="room" x="{x + 10:.1f}" y="{y + (20 if stacked else 27)}">'
                    f"{escape(room)}</text>"
                )
                lines = wrapped(first_sentence(package, room), int((width - name - 8) / CHARACTER))
                top = y + (37 if stacked else 27 if len(lines) == 1 else 19)
                for index, line in enumerate(lines):
                    shapes.append(
                        f'<text class="about" x="{x + name:.1f}" y="{top + 16 * index}">'
                        f"{escape(line)}</text>"
                    )
            y += height + GAP
        y += MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" role="img" '
        f'aria-label="Rooms of the two packages, each importing from rows below only">'
        f'<style>{STYLE}</style><rect width="{WIDTH}" height="{y}" fill="#ffffff"/>'
        + "".join(shapes)
        + "</svg>\n"
    )


if __name__ == "__main__":
    FILE.write_text(draw(), encoding="utf-8")
