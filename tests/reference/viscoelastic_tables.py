"""Restitution of viscoelastic laws, computed with an integrator and, where known, in closed
form.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import jax
import numpy as np
from scipy.integrate import solve_ivp

from jaxcontact.laws.core.damping_maps import (
    thornton_gamma,
    tsuji_zeta,
    zero_force_restitution,
    zero_overlap_restitution,
)
from jaxcontact.laws.normal.viscoelastic import (
    hertz_dashpot_force,
    hertz_dashpot_restitution,
    kuwabara_kono_force,
    kuwabara_kono_restitution,
)
from tests.reference.case import (
    Case,
    Computed,
    FileKind,
    ReferenceFile,
    dispatch,
    quantities,
    stated_tolerance,
)


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


def thornton_cases(
    file: ReferenceFile, name: str, row: Mapping[str, Any], rtol: float
) -> Iterable[Case]:
    def gamma(e_requested: float) -> Mapping[str, Computed]:
        return {"gamma": Computed(thornton_gamma(e_requested), rtol)}

    yield from quantities(
        file, name, {key: row[key] for key in ("e_requested", "gamma")}, ("e_requested",), gamma
    )
    given = {
        key: value for key, value in row.items() if key != "e_requested"
    }  # the argument of that map
    yield from quantities(file, name, given, ("gamma",), partial(thornton, rtol))


# Forces of an impact with unit stiffness, mass and approach speed.
KUWABARA_KONO = jax.jit(
    lambda x, u, beta: kuwabara_kono_force(x, u, stiffness=1.0, dissipation_time=beta / 1.5)
)
HERTZ_DASHPOT = jax.jit(lambda x, u, beta: hertz_dashpot_force(x, u, stiffness=1.0, damping=beta))


def rebound(force: Callable[..., Any], beta: float, end: str) -> float | None:
    """Restitution by integration of the force; none where the overlap does not come back to
    zero.
    """

    def ends(_: float, state: np.ndarray) -> float:
        return state[0] if end == "zero_overlap" else float(force(*state, beta))

    ends.terminal, ends.direction = True, -1  # type: ignore[attr-defined]
    motion = solve_ivp(
        lambda _, state: [state[1], -float(force(*state, beta))],
        (0.0, 1e3),
        [1e-12, 1.0],
        method="DOP853",
        rtol=1e-10,
        atol=1e-13,
        events=ends,
    )
    return -float(motion.y[1, -1]) if motion.status == 1 else None


def by_map_and_integration(
    rtol: float, restitution: Callable[..., Any], force: Callable[..., Any], beta: float
) -> Mapping[str, list[Computed]]:
    found = {}
    for symbol, end in (("d0", "zero_overlap"), ("F0", "zero_force")):
        ways = [Computed(restitution(beta, end=end), rtol)]
        integrated = rebound(force, beta, end)
        found[f"e_end_{symbol}"] = (
            ways if integrated is None else [*ways, Computed(integrated, rtol)]
        )
    return found


def row_cases(file: ReferenceFile, name: str, kind: str, row: Mapping[str, Any]) -> Iterable[Case]:
    rtol = stated_tolerance(file.document)
    runners = {
        "closed_form/viscoelastic/tsuji": lambda: quantities(
            file, name, row, ("alpha",), partial(tsuji, rtol)
        ),
        "closed_form/viscoelastic/tsuji/polynomial_rows": lambda: quantities(
            file, name, row, ("e_requested", "alpha_poly"), partial(tsuji_polynomial, rtol)
        ),
        "closed_form/viscoelastic/kuwabara_kono": lambda: quantities(
            file,
            name,
            row,
            ("beta",),
            partial(by_map_and_integration, rtol, kuwabara_kono_restitution, KUWABARA_KONO),
        ),
        "closed_form/viscoelastic/hertz_linear_dashpot": lambda: quantities(
            file,
            name,
            row,
            ("beta",),
            partial(by_map_and_integration, rtol, hertz_dashpot_restitution, HERTZ_DASHPOT),
        ),
        "closed_form/viscoelastic/thornton2013": lambda: thornton_cases(file, name, row, rtol),
    }
    return dispatch(file, name, kind, runners)


def cases(file: ReferenceFile) -> Iterable[Case]:
    for table, entries in file.document["tables"].items():
        for key, rows in entries.items():
            if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
                main = key == "rows"
                kind = (
                    f"closed_form/viscoelastic/{table}"
                    if main
                    else f"closed_form/viscoelastic/{table}/{key}"
                )
                for index, row in enumerate(rows):
                    yield from row_cases(
                        file, f"{file.name}/{table}{'' if main else '/' + key}[{index}]", kind, row
                    )


FILE_KINDS = (
    FileKind(
        "viscoelastic tables",
        lambda document: isinstance(document, dict) and isinstance(document.get("tables"), dict),
        cases,
    ),
)
