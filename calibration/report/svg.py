"""A figure as SVG inside a page: small, in the colours of the page's theme, with a text for those
who do not see it.

Matplotlib writes a mark for every point, a font for every text and names that are global in a page.
Here points of a cloud become one path of dots, coordinates are rounded to a tenth of a point, and
colours become variables of the page's style sheet.
"""

import html
import io
import re
from functools import partial

import matplotlib
from matplotlib.figure import Figure

from calibration.report import drawing

THEME = {
    drawing.BLUE: "blue",
    drawing.ORANGE: "orange",
    drawing.GREEN: "green",
    drawing.PURPLE: "purple",
    drawing.GREY: "muted",
    drawing.MEASURED: "measured",
    drawing.PALE: "band",
    drawing.DARK: "ink",
    "#000000": "ink",
    "#ffffff": "paper",
    "#cccccc": "band",
}
"""Name of the variable of the style sheet, ``--blue``, by the colour that stands for it."""

_FEWEST_DOTS = 8  # points from which on a cloud is one path

_MARK = re.compile(
    r'<defs>\s*<path id="(?P<id>m[0-9a-f]+)" d="M 0 (?P<radius>[\d.]+)\s*\n'
    r'C [^"]*"[^>]*/>\s*</defs>'
)
_USES = r'<use xlink:href="#{id}" x="([-\d.]+)" y="([-\d.]+)"(?: style="([^"]*)")?/>\s*'
_NAMES = re.compile(r' id="(?![mp][0-9a-f]{10}")[^"]*"')  # marks and clips are referred to
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"-?\d+\.\d+")


def svg(figure: Figure, text: str) -> str:
    """The figure as an element ``<svg>`` for a page whose style sheet has the variables of
    ``THEME``, and a whole file with the colours of Matplotlib without one; the same for the same
    figure.

    Args:
        figure: to be drawn.
        text: what it shows, in words.

    Example:
        >>> from matplotlib.figure import Figure
        >>> figure = Figure(figsize=(2, 2))
        >>> _ = figure.add_subplot().plot([0, 1], [0, 1])
        >>> cal.report.svg(figure, "a straight line")[:39]
        '<svg class="chart" role="img" aria-labe'
    """
    content = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": text}):
        figure.savefig(content, format="svg", metadata={"Date": None}, transparent=True)
    drawn = content.getvalue()
    box = re.search(r'viewBox="([^"]*)"', drawn)
    assert box is not None
    body = drawn[drawn.index("</defs>") + len("</defs>") : drawn.rindex("</svg>")]
    body = _NAMES.sub("", _clouds(re.sub(r"<!--.*?-->", "", body, flags=re.S)))
    body = re.sub(r'; font-family: [^;"]*', "", body)
    body = re.sub(r'font: ([^;"]*?)([\d.]+px) [^;"]*', r"font-size: \2", body)
    body = _TAG.sub(lambda tag: _NUMBER.sub(_rounded, tag[0]), body)
    for colour, name in THEME.items():
        body = re.sub(colour, f"var(--{name}, {colour})", body, flags=re.I)
    body = re.sub(r"\s*\n\s*", "\n", body).strip().replace("xlink:href", "href")
    return (
        f'<svg class="chart" role="img" aria-label="{html.escape(text)}" '
        f'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" viewBox="{box[1]}">\n'
        f"{body}\n</svg>"
    )


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _clouds(body: str) -> str:
    """Many round marks without an edge, one after the other, are one path of lines without length
    and round ends; one that stands alone, in a legend, stays.
    """
    for mark in list(_MARK.finditer(body)):
        use = _USES.format(id=mark["id"])
        cloud = re.compile(f"(?:{use}){{{_FEWEST_DOTS},}}")
        body = cloud.sub(partial(_dots, re.compile(use), mark), body)
        if f"#{mark['id']}" not in body:
            body = body.replace(mark[0], "")
    return body


def _dots(use: re.Pattern[str], mark: re.Match[str], cloud: re.Match[str]) -> str:
    """The path of a cloud of marks; the marks themselves where they are of several styles."""
    found = use.findall(cloud[0])
    styles = {style for _, _, style in found}
    if len(styles) != 1:
        return cloud[0]
    colour = re.search(r"fill: (#[0-9a-f]{6})", f"{next(iter(styles))} {mark[0]}")
    path = "".join(f"M{float(x):.1f} {float(y):.1f}h0" for x, y, _ in found)
    return (
        f'<path class="dots" d="{path}" style="stroke: {colour[1] if colour else "#000000"}; '
        f'stroke-width: {2 * float(mark["radius"]):.1f}"/>\n'
    )
