"""Thornton, Cummins and Cleary, Powder Technol. 233 (2013) 30-46: a sphere that hits a rigid plane
at every angle.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import jaxcontact as jc
from jaxcontact.materials import (
    Solid,
    effective_modulus,
    effective_shear_modulus,
    hertz_stiffness,
    tangential_stiffness_ratio,
)
from tests.reference.case import Case, ReferenceFile
from tests.reference.published.oblique_impacts import Rebound, Spring, oblique_impacts
from tests.reference.published.reading import columns, mean_square_within, only, stated, within


def cases(file: ReferenceFile) -> Iterable[Case]:
    document = file.document
    entries = (
        "radius_m",
        "normal_speed_m_s",
        "E",
        "nu",
        "rho",
        "mu",
        "plane",
        "source",
        "x",
        "y",
        "sliding",
        "tolerance",
        "note",
        "e",
    )
    yield from only(file, document, *entries, "hertzian", "linear")
    if document["plane"] != "rigid":
        raise ValueError(f"unknown plane {document['plane']!r}")
    radius, speed, friction, e = (
        document[name] for name in ("radius_m", "normal_speed_m_s", "mu", "e")
    )
    one = Solid(youngs_modulus=document["E"], poisson_ratio=document["nu"], density=document["rho"])
    mass = float(jc.spheres(radius=radius, density=one.density).mass)
    stiffness = float(hertz_stiffness(effective_modulus(one), radius))
    # Of the linear spring only the ratio of the stiffnesses matters. Both dashpots are the same
    # fraction of critical damping.
    stiffness_ratio = float(tangential_stiffness_ratio(one))
    springs = {
        "hertzian": (
            "rescaled",
            jc.TsujiDashpot(stiffness=stiffness, restitution=e, end="zero_force"),
            float(effective_shear_modulus(one)),
        ),
        "linear": (
            "linear",
            jc.LinearDashpot(
                stiffness=stiffness * math.sqrt(radius), restitution=e, end="zero_force"
            ),
            stiffness * math.sqrt(radius) * stiffness_ratio,
        ),
    }
    unit = friction * (1.0 + e) / 2.0

    def slip(x: Any, spring: str) -> Callable[[], np.ndarray]:
        form, normal, tangential = springs[spring]

        def compute() -> np.ndarray:
            before = Rebound(-speed * np.ones_like(x), x * unit * speed, 0.0)
            dashpot = Spring(friction, tangential, damping_ratio=math.sqrt(stiffness_ratio))
            after = oblique_impacts(
                before, radius=radius, mass=mass, normal=normal, spring=dashpot, form=form
            )
            return (after.tangential + radius * after.spin) / (unit * speed)

        return compute

    onset, limit = (
        stated(document["sliding"], "x *>="),
        stated(document["tolerance"], "sliding points"),
    )
    for spring in springs:
        x, y = columns(document[spring])
        slides = x >= onset
        yield within(f"{file.name}/{spring}/sliding", slip(x[slides], spring), y[slides], limit)
        yield mean_square_within(
            f"{file.name}/{spring}/sticking",
            slip(x[~slides], spring),
            y[~slides],
            sticking(document["note"], e),
        )


def sticking(note: str, e: float) -> float:
    """Root mean square of the deviations that the note reports for a reference at this
    restitution.
    """
    upper = [text for text in note.replace("rms", ",").split(",") if f"(e={e:g})" in text]
    if not upper:
        raise ValueError(f"{note!r} states nothing for e = {e:g}")
    return float(upper[0].split("(")[0].strip().rpartition("-")[2])
