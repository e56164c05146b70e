"""Restitution of viscoelastic laws, computed with an integrator and, where known, in closed form."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from jaxcontact.laws.restitution import tsuji_zeta, zero_force_restitution, zero_overlap_restitution
from tests.reference.case import Case, Computed, FileKind, ReferenceFile, dispatch, missing, quantities, stated_tolerance


def both_ends(alpha: float) -> tuple[Any, Any]:
    """Restitution of Tsuji's law when the contact ends at zero overlap, and at zero force."""
    zeta = tsuji_zeta(alpha)
    return zero_overlap_restitution(zeta), zero_force_restitution(zeta)


def tsuji(rtol: float, alpha: float) -> Mapping[str, Computed]:
    zero_overlap, zero_force = both_ends(alpha)
    return {
        "e_end_d0": Computed(zero_overlap, rtol),
        "e_antypov": Computed(zero_overlap, rtol),
        "e_end_F0": Computed(zero_force, rtol),
    }


def tsuji_polynomial(rtol: float, e_requested: float, alpha_poly: float) -> Mapping[str, Computed]:
    """Tsuji's alpha counts sqrt(2) times with the effective mass."""
    zero_overlap, zero_force = both_ends(2**0.5 * alpha_poly)
    return {
        "e_end_d0_with_sqrt2_alpha": Computed(zero_overlap, rtol),
        "e_end_F0_with_sqrt2_alpha": Computed(zero_force, rtol),
        "e_end_d0_without_sqrt2": Computed(both_ends(alpha_poly)[0], rtol),
    }


def thornton(rtol: float, gamma: float) -> Mapping[str, Computed]:
    """``2 gamma sqrt(m dF/dd) d'`` is Tsuji's dashpot with ``alpha = 2 gamma sqrt(3/2)``."""
    zero_overlap, zero_force = both_ends(2 * 1.5**0.5 * gamma)
    return {"e_end_d0": Computed(zero_overlap, rtol), "e_end_F0": Computed(zero_force, rtol)}


def thornton_cases(file: ReferenceFile, name: str, row: Mapping[str, Any], rtol: float) -> Iterable[Case]:
    yield missing(f"{name}/gamma", "closed_form/viscoelastic/thornton2013/gamma")
    given = {key: value for key, value in row.items() if key != "e_requested"}  # the argument of that map
    yield from quantities(file, name, given, ("gamma",), partial(thornton, rtol))


def row_cases(file: ReferenceFile, name: str, kind: str, row: Mapping[str, Any]) -> Iterable[Case]:
    rtol = stated_tolerance(file.document)
    runners = {
        "closed_form/viscoelastic/tsuji": lambda: quantities(file, name, row, ("alpha",), partial(tsuji, rtol)),
        "closed_form/viscoelastic/tsuji/polynomial_rows": lambda: quantities(
            file, name, row, ("e_requested", "alpha_poly"), partial(tsuji_polynomial, rtol)
        ),
        "closed_form/viscoelastic/thornton2013": lambda: thornton_cases(file, name, row, rtol),
    }
    return dispatch(file, name, kind, runners)


def cases(file: ReferenceFile) -> Iterable[Case]:
    for table, entries in file.document["tables"].items():
        for key, rows in entries.items():
            if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
                main = key == "rows"
                kind = f"closed_form/viscoelastic/{table}" if main else f"closed_form/viscoelastic/{table}/{key}"
                for index, row in enumerate(rows):
                    yield from row_cases(file, f"{file.name}/{table}{'' if main else '/' + key}[{index}]", kind, row)


FILE_KINDS = (
    FileKind("viscoelastic tables", lambda document: isinstance(document, dict) and isinstance(document.get("tables"), dict), cases),
)
