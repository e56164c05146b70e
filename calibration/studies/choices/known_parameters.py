"""What a study says of a parameter of the fit, by its name: a prior, a start, its value."""

from collections.abc import Mapping
from typing import Any

from calibration.errors import InputError
from calibration.studies.choices.named_tables import VALUE, tables_by_name
from calibration.studies.option import NUMBER, POSITIVE, TEXT, Option, number_above

MEAN, SD, MEDIAN, FACTOR, FROM, TO, START, UNIT = (
    "mean",
    "sd",
    "median",
    "factor",
    "from",
    "to",
    "start",
    "unit",
)
SCHEMA: Mapping[str, Option] = {
    MEAN: Option("mean of a normal prior", NUMBER),
    SD: Option("standard deviation of a normal prior", POSITIVE),
    MEDIAN: Option("median of a log-normal prior", POSITIVE),
    FACTOR: Option(
        "by which it deviates from the median at one standard deviation [-]", number_above(1)
    ),
    FROM: Option("lower end of a uniform prior", NUMBER),
    TO: Option("upper end of a uniform prior", NUMBER),
    VALUE: Option("at which it stays; a number alone means the same", NUMBER),
    START: Option("where the search begins", NUMBER),
    UNIT: Option("of these numbers, where it is not that of the parameter", TEXT),
}
"""All numbers are in the unit of the parameter."""

PAIRS = ((MEAN, SD), (MEDIAN, FACTOR), (FROM, TO))
"""Keys that stand together."""


def check_table(name: str, table: Mapping[str, Any]) -> None:
    """Check what is said of one parameter.

    Args:
        name: of the parameter.
        table: as it is kept.

    Raises:
        InputError: half of a pair, two priors, ends in the wrong order, a value beside something
            else, nothing.
    """
    said = set(table) - {UNIT}
    example = f"Write {{ mean = 0.45, sd = 0.05 }}, or {name} = 0.45 where it is known."
    if not said:
        raise InputError(f"nothing is said of {name!r}", remedy=example)
    for first, second in PAIRS:
        if (first in table) != (second in table):
            there, lacking = (first, second) if first in table else (second, first)
            raise InputError(f"{there} of {name!r} is given without {lacking}", remedy=example)
    if {MEAN, MEDIAN} <= said:
        raise InputError(f"{name!r} has two priors, mean and median", remedy="Leave out one.")
    if VALUE in said and len(said) > 1:
        others = ", ".join(sorted(said - {VALUE}))
        raise InputError(
            f"the value of {name!r} is given beside {others}",
            remedy="A parameter that has a value is not found: leave out the rest.",
        )
    if FROM in table and not table[FROM] < table[TO]:
        raise InputError(
            f"from = {table[FROM]:g} of {name!r} is not below to = {table[TO]:g}",
            remedy="Give the lower end first.",
        )


KNOWN_PARAMETERS = tables_by_name(
    lambda: SCHEMA,
    example="{ 'drag.coefficient' = { mean = 0.45, sd = 0.05 } }",
    metavar="NAME: KEY=VALUE,...",
    check=check_table,
)


def fixed_parameters(tables: Mapping[str, Mapping[str, Any]] | None) -> frozenset[str]:
    """Names of the parameters whose values are given.

    Args:
        tables: as ``KNOWN_PARAMETERS`` keeps them.
    """
    return frozenset(name for name, table in (tables or {}).items() if VALUE in table)
