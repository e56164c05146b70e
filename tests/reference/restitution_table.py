"""Restitution asked and obtained, for every published damping law of Hunt and Crossley's form."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import jax

from jaxcontact.laws.core.damping_maps import (
    EXACT,
    RESTITUTION_LAWS,
    RestitutionLaw,
    exact_damping_ratio,
    obtained_restitution,
)
from jaxcontact.laws.normal.elastic import maximum_overlap
from tests.reference.case import (
    Case,
    Computed,
    FileKind,
    ReferenceFile,
    assert_close,
    failing,
    quantities,
    stated_tolerance,
)
from tests.reference.motion import OBTAINED, impact

OBTAINED_AND_SLOPE = jax.jit(jax.value_and_grad(obtained_restitution))
EXACT_DAMPING_RATIO = jax.jit(exact_damping_ratio)

ROUNDING = 1e-11
"""What is left of 1e-12 accurate numbers in a difference that may be zero."""

STENCIL = 1e-6
"""The derivatives in the table are differences over +- STENCIL, up to 1 - LAST."""
LAST = 1e-9


def obtained_and_slope(law: RestitutionLaw, e: float) -> Any:
    """Restitution obtained, and its derivative with respect to that asked."""
    ratio, slope = jax.jvp(law.damping_ratio, (e,), (1.0,))
    obtained, outer = OBTAINED_AND_SLOPE(ratio)
    return obtained, outer * slope


def slope_of_table(law: RestitutionLaw, e: float) -> Any:
    """The derivative of the restitution obtained with respect to that asked.

    Where the table's difference crosses a corner of the law (``exudyn_mixed`` at 1/3) or is cut off
    at 1, it is not the derivative; the same difference is then taken.
    """
    upper, lower = min(e + STENCIL, 1.0 - LAST), e - STENCIL
    (above, slope_above), (below, slope_below) = (
        obtained_and_slope(law, upper),
        obtained_and_slope(law, lower),
    )
    if e + STENCIL > 1.0:
        return (above - below) / STENCIL
    if abs(slope_above - slope_below) > 1e-4:
        return (above - below) / (2 * STENCIL)
    return obtained_and_slope(law, e)[1]


def dimensionless_impact(damping_ratio: Any, exponent: float) -> Mapping[str, Any]:
    bounce = impact(damping_ratio=float(damping_ratio), exponent=exponent)
    elastic = maximum_overlap(1.0, mass=1.0, stiffness=1.0, exponent=exponent)
    return {
        f"e_ode_n{int(10 * exponent)}": bounce.restitution,
        "dmax_ratio": bounce.largest_overlap / elastic,
        "dmax_ode_dimless": bounce.largest_overlap,
        "duration_dimless": bounce.duration,
    }


def nominal(rtol: float, law: RestitutionLaw, e_requested: float) -> Mapping[str, Computed]:
    ratio = law.damping_ratio(e_requested)
    obtained = OBTAINED(ratio)
    found = {
        "A": ratio,
        "e_obtained": obtained,
        "abs_error": obtained - e_requested,
        "rel_error": (obtained - e_requested) / e_requested,
        "de_obtained_de_requested": slope_of_table(law, e_requested),
        **dimensionless_impact(ratio, 1.5),
    }
    return {name: Computed(value, rtol, ROUNDING) for name, value in found.items()}


def exact(rtol: float, e_requested: float) -> Mapping[str, Computed]:
    ratio = EXACT_DAMPING_RATIO(e_requested)
    found = {"A": ratio, "check_e": OBTAINED(ratio), **dimensionless_impact(ratio, 1.5)}
    return {name: Computed(value, rtol, ROUNDING) for name, value in found.items()}


def independence(rtol: float, n: float, A: float) -> Mapping[str, Computed]:
    """The restitution is the same for every exponent."""
    return {
        "e_ode": Computed(impact(damping_ratio=A, exponent=n).restitution, rtol),
        "e_exact": Computed(OBTAINED(A), rtol),
    }


def unknown_law(file: ReferenceFile, name: str, law: str) -> Case:
    return failing(
        name,
        f"{file.path}: unknown kind {law!r} of restitution law. Known: "
        f"{', '.join(RESTITUTION_LAWS)}.",
    )


def cases(file: ReferenceFile) -> Iterable[Case]:
    rtol = stated_tolerance(file.document)
    for law, entries in file.document["models"].items():
        for index, row in enumerate(entries["rows"]):
            name = f"{file.name}/{law}[{index}]"
            if law in RESTITUTION_LAWS:
                yield from quantities(
                    file, name, row, ("e_requested",), partial(nominal, rtol, RESTITUTION_LAWS[law])
                )
            else:
                yield unknown_law(file, name, law)
    for index, row in enumerate(file.document.get("exact", [])):
        yield from quantities(
            file, f"{file.name}/exact[{index}]", row, ("e_requested",), partial(exact, rtol)
        )
    for index, row in enumerate(file.document.get("n_independence", [])):
        yield from quantities(
            file,
            f"{file.name}/n_independence[{index}]",
            row,
            ("n", "A"),
            partial(independence, rtol),
        )


# The same as a CSV file of eight digits: model,e=0.05,e=0.1,...


def requested(label: str) -> float:
    """The number in ``e=0.3333``: labels have four digits, and 0.3333 is one third."""
    text = label.removeprefix("e=")
    simple = float(Fraction(text).limit_denominator(12))
    return simple if f"{simple:.4g}" == text else float(text)


def check_cell(law: str, e: float, text: str) -> None:
    damping_ratio = (EXACT if law == "exact" else RESTITUTION_LAWS[law]).damping_ratio(e)
    assert_close(Computed(OBTAINED(damping_ratio), rtol=1e-6), float(text))


def csv_cases(file: ReferenceFile) -> Iterable[Case]:
    labels, *rows = file.document
    for law, *cells in rows:
        for label, cell in zip(labels[1:], cells, strict=True):
            name = f"{file.name}.csv/{law}/{label}"
            known = law in RESTITUTION_LAWS
            yield (
                Case(name, partial(check_cell, law, requested(label), cell))
                if known
                else unknown_law(file, name, law)
            )


def is_csv(document: Any) -> bool:
    return (
        isinstance(document, list)
        and bool(document)
        and document[0][:1] == ["model"]
        and all(c.startswith("e=") for c in document[0][1:])
    )


FILE_KINDS = (
    FileKind(
        "restitution table",
        lambda document: isinstance(document, dict) and {"models", "requested"} <= set(document),
        cases,
    ),
    FileKind("restitution table as CSV", is_csv, csv_cases),
)
