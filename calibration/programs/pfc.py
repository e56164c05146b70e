"""Itasca PFC: the linear contact model with its full dashpot."""

import math
from collections.abc import Mapping
from typing import ClassVar

from calibration.programs.program import Obtained, Program
from calibration.programs.target import Target

END = "zero_overlap"
"""With ``dp_mode`` 0 the dashpot acts until the overlap is gone. Friction follows the spring alone,
whose impulse is then that of the whole force; without tension (``dp_mode`` 1) it would be less.
"""

SHEAR = 2 / 7
"""``ks/kn``: a stuck sphere then swings along the surface as long as along the normal."""


class PFC(Program):
    """``F = kn d + 2 dp_nratio sqrt(m kn) d'``."""

    name: ClassVar[str] = "pfc"
    title: ClassVar[str] = "Itasca PFC"
    ending: ClassVar[str] = ".p3dat"
    law: ClassVar[str] = (
        "the linear model with dp_mode 0, whose dashpot acts until the overlap is gone."
    )
    exponent: ClassVar[float] = 1.0
    sticking: ClassVar[str] = (
        "Friction is a spring with a slider: it holds at rest, and an impact that sticks springs "
        "back, up to the slip that it had."
    )
    comment: ClassVar[str] = "; {}"
    source: ClassVar[str] = "PFC's documentation of the linear model"

    def parameters(self, target: Target) -> dict[str, float]:
        """``dp_nratio`` is the damping relative to critical of the contact's mass."""
        from calibration.programs.conversions import damping_of_restitution  # imports JAX

        stiffness = target.stiffness(self.exponent)
        return {
            "kn": stiffness,
            "ks": SHEAR * stiffness,
            "fric": target.friction,
            "dp_nratio": damping_of_restitution(END)(target.restitution),
            "dp_mode": 0,
        }

    def obtained(self, parameters: Mapping[str, float], target: Target) -> Obtained:
        """Of the linear oscillator."""
        from calibration.programs.conversions import restitution_of_damping  # imports JAX

        return Obtained(restitution_of_damping(END)(parameters["dp_nratio"]), parameters["fric"])

    def block(self, parameters: Mapping[str, float], target: Target) -> str:
        """An entry of the contact model assignment table."""
        properties = " ".join(f"{name} {value!r}" for name, value in parameters.items())
        return (
            f"contact cmat default model linear property {properties}\n"
            f"model mechanical timestep maximum {target.step(self.exponent)!r}"
        )

    def remarks(self, parameters: Mapping[str, float], target: Target) -> tuple[str, ...]:
        """What must not damp beside it."""
        critical = 2 * math.sqrt(target.effective_mass * parameters["kn"])
        return (
            "Local damping must be off (ball attribute damp 0). Critical damping of this pair is "
            f"{critical:.4g} N s/m.",
        )
