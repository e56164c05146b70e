"""Column headers: the name of the quantity, its unit, and whether it is the uncertainty of that
quantity.

People write ``t (s)``, ``x [mm]``, ``Zeit/s``, ``y_px``, ``omega_rad_s``, ``x in cm``, ``sigma_z``,
``e_t_err``, ``posX`` or ``Höhe``.
"""

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Unit:
    """A unit of measurement: ``value in SI = factor * value``. Pixels and frames have no factor of
    their own: theirs is 1.
    """

    symbol: str
    dimension: str
    factor: float


_TURN = 2.0 * math.pi

# Keys are the words of a unit joined by "_": "m/s", "m s^-1" and a header ending in "_m_s" all come
# here as "m_s" or "m_s_1".
_UNITS: dict[str, Unit] = {
    key: unit
    for unit, keys in (
        (Unit("m", "length", 1.0), "m meter meters metre metres"),
        (Unit("cm", "length", 1e-2), "cm"),
        (Unit("mm", "length", 1e-3), "mm"),
        (Unit("um", "length", 1e-6), "um"),
        (Unit("in", "length", 0.0254), "in inch inches"),
        (Unit("ft", "length", 0.3048), "ft foot feet"),
        (Unit("px", "pixels", 1.0), "px pix pixel pixels"),
        (Unit("s", "time", 1.0), "s sec secs second seconds sek"),
        (Unit("ms", "time", 1e-3), "ms"),
        (Unit("us", "time", 1e-6), "us"),
        (Unit("min", "time", 60.0), "min"),
        (Unit("frame", "frames", 1.0), "frame frames"),
        (Unit("deg", "angle", 1.0), "deg degree degrees grad"),
        (Unit("rad", "angle", 180.0 / math.pi), "rad radian radians"),
        (Unit("m/s", "speed", 1.0), "m_s m_s_1 mps"),
        (Unit("cm/s", "speed", 1e-2), "cm_s cm_s_1"),
        (Unit("mm/s", "speed", 1e-3), "mm_s mm_s_1"),
        (Unit("km/h", "speed", 1.0 / 3.6), "km_h kmh"),
        (Unit("rad/s", "angular velocity", 1.0), "rad_s rad_s_1 1_s s_1"),
        (Unit("deg/s", "angular velocity", _TURN / 360.0), "deg_s deg_s_1"),
        (Unit("rev/s", "angular velocity", _TURN), "rev_s rps hz"),
        (Unit("rpm", "angular velocity", _TURN / 60.0), "rpm rev_min 1_min u_min"),
        (Unit("N", "force", 1.0), "n newton"),
        (Unit("kN", "force", 1e3), "kn"),
        (Unit("mN", "force", 1e-3), "mn"),
        (Unit("-", "ratio", 1.0), "1"),
        (Unit("%", "ratio", 1e-2), "percent"),
    )
    for key in keys.split()
}

# Words that are units only where a bracket or the word "in" says so: "v_in" is the speed coming in,
# "t_min" the smallest time.
_NEVER_A_SUFFIX = {
    "n",
    "in",
    "inch",
    "inches",
    "ft",
    "foot",
    "feet",
    "min",
    "1",
    "s_1",
    "1_s",
    "1_min",
    "u_min",
    "percent",
    "grad",
}
_PIXELS = {"px", "pix", "pixel", "pixels"}
_UNCERTAINTY_ALONE = {"sigma", "sd", "std", "stdev", "stddev", "uncertainty"}
_UNCERTAINTY = _UNCERTAINTY_ALONE | {"unc", "err", "error"}

_LETTERS = (
    "ä:ae ö:oe ü:ue Ä:Ae Ö:Oe Ü:Ue ß:ss θ:theta ϑ:theta Θ:theta ω:omega Ω:omega σ:sigma α:alpha"
)
_SIGNS = "µ:u μ:u °:deg %:percent ⁻:- ¹:1"
_SPELLED = str.maketrans(dict(pair.split(":") for pair in f"{_LETTERS} {_SIGNS}".split()))


@dataclass(frozen=True)
class Header:
    """One column header.

    Attributes:
        text: as written in the file, for messages.
        name: the quantity in lower case, words joined by ``_``, without unit and uncertainty
            (``"rebound_angle"``, ``"x"``).
        unit: the unit declared, or ``None``.
        unknown_unit: what stands in brackets but is no known unit, or ``None``.
        uncertainty: whether the column holds the standard deviation of the quantity.
    """

    text: str
    name: str
    unit: Unit | None = None
    unknown_unit: str | None = None
    uncertainty: bool = False


def list_headers(headers: Iterable[Header]) -> str:
    """The headers as written, for error texts."""
    return ", ".join(repr(header.text) for header in headers)


def advise_columns(key: str, header: str = "...") -> str:
    """How to say which header holds what, for error texts.

    Args:
        key: what it holds.
        header: as it stands in the file.
    """
    named = header if header == "..." else repr(header)
    return f"--columns '{key}={header}' (in Python: columns={{{key!r}: {named}}})"


def list_units(*dimensions: str) -> str:
    """The symbols of all units of these dimensions, for error texts."""
    return ", ".join(
        dict.fromkeys(unit.symbol for unit in _UNITS.values() if unit.dimension in dimensions)
    )


def parse_unit(text: str) -> Unit | None:
    """The unit written as ``text`` (``mm``, ``[m/s]``, ``1/s``, ``°``), or ``None`` when it is no
    known unit.
    """
    bare = text.strip().strip("[]()").strip()
    return _UNITS["1"] if bare == "-" else _UNITS.get("_".join(_words(bare)))


def parse_header(text: str, *, unit: str | None = None) -> Header:
    """Read one header; ``unit`` is what a separate row of units says of the column."""
    shown = " ".join(text.split())
    said, bracket = _split_unit(shown.rsplit(":", 1)[-1])
    words, uncertainty = _strip_uncertainty(_words(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", said)))
    declared = parse_unit(bracket) if bracket else None
    unknown = bracket if bracket and declared is None else None
    if declared is None:
        words, declared = _strip_unit(words, keep=0 if uncertainty else 1)
    if not uncertainty:
        words, uncertainty = _strip_uncertainty(words)
    if unit is not None and declared is None:
        declared = parse_unit(unit)
    return Header(shown, "_".join(words), declared, None if declared else unknown, uncertainty)


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", text).translate(_SPELLED))
    return re.findall(
        r"[a-z0-9]+", "".join(c for c in plain if not unicodedata.combining(c)).lower()
    )


def _split_unit(text: str) -> tuple[str, str | None]:
    """``"x [mm]"`` -> ``("x", "mm")``, ``"v/(m/s)"`` -> ``("v/", "m/s")``, ``"x in mm"`` -> ``("x",
    "mm")``, else ``(text, None)``.
    """
    bracketed = re.fullmatch(r"(.*\S)\s*[\[(]\s*([^\[\]()]*?)\s*[\])]", text.strip())
    if bracketed:
        return bracketed[1], bracketed[2] or None
    worded = re.fullmatch(r"(.*\S)\s+in\s+(\S+)", text.strip())
    if worded and parse_unit(worded[2]):
        return worded[1], worded[2]
    return text, None


def _strip_unit(words: list[str], *, keep: int) -> tuple[list[str], Unit | None]:
    """Strip a unit written as the last words (``x_mm``, ``z/m``, ``omega_rad_s``), or pixels as the
    first (``px_x``, ``pixelx``).

    At least ``keep`` words stay: ``m`` alone is a name, in ``sigma_m`` it is a unit.
    """
    for count in (3, 2, 1):
        key = "_".join(words[-count:])
        if len(words) >= count + keep and key in _UNITS and key not in _NEVER_A_SUFFIX:
            return words[:-count], _UNITS[key]
    if len(words) > 1 and words[0] in _PIXELS:
        return words[1:], _UNITS["px"]
    joined = (
        re.fullmatch(r"(?:px|pixel)([xyz])|([xyz])(?:px|pix|pixel)", words[0])
        if len(words) == 1
        else None
    )
    if joined:
        return [joined[1] or joined[2]], _UNITS["px"]
    return words, None


def _strip_uncertainty(words: list[str]) -> tuple[list[str], bool]:
    """Strip the word that makes a column an uncertainty: ``sigma_x``, ``x_err``, ``s_x``, ``sx``;
    alone only ``sigma`` and the like.
    """
    if len(words) == 1:
        if words[0] in _UNCERTAINTY_ALONE:
            return [], True
        return ([words[0][1]], True) if re.fullmatch(r"s[xyz]", words[0]) else (words, False)
    if words and (words[0] in _UNCERTAINTY or words[0] == "s"):
        return words[1:], True
    if words and words[-1] in _UNCERTAINTY:
        return words[:-1], True
    return words, False
