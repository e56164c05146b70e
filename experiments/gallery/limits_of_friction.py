"""What impacts tell of friction: where they slide a value, where they stick a lower limit."""

import numpy as np
from matplotlib.figure import Figure

import calibration as cal
import jaxcontact as jc
from experiments.drawing import BLUE, DARK, GREY, ORANGE, one_panel

RADIUS, MASS, SPEED, TRUE = 0.02, 0.03, 2.0, 0.2
FRICTION = "contact.friction.coefficient"
RESTITUTION = "contact.normal.restitution"
NOISE = 1.0
"""Standard deviation of a rebound angle [deg]."""


def rebound_angle(angle: np.ndarray, coefficient: float, restitution: float = 0.8) -> np.ndarray:
    """Of rigid impacts of a solid sphere [deg]: sliding throughout, or sticking at the end."""
    tangent = np.tan(np.radians(angle))
    lost = np.minimum(coefficient * (1 + restitution), 2 / 7 * tangent)
    return np.degrees(np.arctan((tangent - lost) / restitution))


def misfit(angles: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Profile of chi-squared over the coefficient, restitution found at each, by the library."""
    rng = np.random.default_rng(4)
    table = cal.ImpactTable(
        name="impacts",
        impact_angle=angles,
        impact_speed=np.full(angles.size, SPEED),
        rebound_angle=rebound_angle(angles, TRUE) + NOISE * rng.standard_normal(angles.size),
        normal_restitution=0.8 + 0.01 * rng.standard_normal(angles.size),
        sigma={
            "rebound_angle": np.full(angles.size, NOISE),
            "normal_restitution": np.full(angles.size, 0.01),
        },
    )
    chi2 = []
    for coefficient in coefficients:
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            contact=jc.ContactModel(
                normal=jc.NewtonRestitution(restitution=0.8),
                friction=jc.Coulomb(coefficient=float(coefficient)),
            ),
        )
        chi2.append(cal.fit(cal.Problem(scene, [table], free=[RESTITUTION])).chi2)
    return np.array(chi2) - min(chi2)


def draw(count: int = 46) -> Figure:
    """Profiles from steep impacts, and from all."""
    coefficients = np.linspace(0.05, 0.5, count)
    figure, axes = one_panel()
    for angles, colour, name in (
        (np.linspace(5.0, 25.0, 8), ORANGE, "8 steep impacts (5 to 25 deg)"),
        (np.linspace(5.0, 70.0, 8), BLUE, "8 impacts of 5 to 70 deg"),
    ):
        axes.plot(coefficients, misfit(angles, coefficients), color=colour, label=name)
    axes.axhline(3.84, color=GREY, linewidth=1.0, linestyle="--", label="95 %")
    axes.axvline(TRUE, color=DARK, linewidth=1.0, linestyle=":", label="true value")
    axes.set_ylim(-0.3, 14.0)
    axes.set_xlabel("friction coefficient [-]")
    axes.set_ylabel("chi-squared above its minimum")
    figure.legend(fontsize=8, frameon=False, loc="outside upper center", ncols=2)
    return figure
