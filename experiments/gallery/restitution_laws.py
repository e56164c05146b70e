"""Restitution against impact speed, by every law that has one, equal at 1 m/s."""

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq

import jaxcontact as jc
from experiments.drawing import SERIES, one_panel

MASS, AT_ONE = 0.01, 0.8
LIMIT, DECAY = 0.5, 3.0


def same_at_one(remains: float) -> float:
    """Restitution of slow impacts that decays to ``AT_ONE`` at 1 m/s, where ``remains`` of the
    decay to ``LIMIT`` is left.
    """
    return LIMIT + (AT_ONE - LIMIT) / remains


def yield_speed() -> float:
    """Of the plastic law [m/s]."""

    def beyond(speed: float) -> float:
        law = jc.ThorntonRestitution(yield_speed=speed)
        return float(law.restitution_at(1.0, mass=MASS)) - AT_ONE

    return float(brentq(beyond, 1e-3, 1.0))


def draw(count: int = 200) -> Figure:
    """Curves over three decades of speed."""
    laws = {
        "constant (Newton)": jc.NewtonRestitution(restitution=AT_ONE),
        "viscoelastic": jc.ViscoelasticRestitution(restitution=AT_ONE),
        "power law": jc.PowerLawRestitution(restitution=AT_ONE, velocity_exponent=0.1),
        "plastic (Thornton)": jc.ThorntonRestitution(yield_speed=yield_speed()),
        "exponential": jc.ExponentialRestitution(
            restitution=same_at_one(float(np.exp(-1 / DECAY))),
            decay_speed=DECAY,
            limit_restitution=LIMIT,
        ),
        "rational": jc.RationalRestitution(
            restitution=same_at_one(DECAY / (1 + DECAY)), decay_speed=DECAY, limit_restitution=LIMIT
        ),
    }
    figure, axes = one_panel()
    speed = np.geomspace(0.02, 20.0, count)
    for (name, law), colour in zip(laws.items(), SERIES, strict=True):
        axes.semilogx(speed, law.restitution_at(speed, mass=MASS), color=colour, label=name)
    axes.plot(1.0, AT_ONE, "o", color="black", markersize=5, zorder=5)
    axes.set_xlabel("impact speed [m/s]")
    axes.set_ylabel("restitution [-]")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(0.25, 1.03)
    axes.legend(fontsize=8, frameon=False, loc="lower left")
    return figure
