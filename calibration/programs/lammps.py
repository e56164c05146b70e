"""LAMMPS: ``pair_style granular`` and ``fix wall/gran granular``, a Hertzian spring and a dashpot
that never pulls.
"""

import math
from collections.abc import Mapping
from typing import ClassVar

from calibration.programs.program import Obtained, Program
from calibration.programs.target import Target

TANGENTIAL = 0.82
"""Tangential over normal stiffness at the largest overlap: ``2 (1 - nu)/(2 - nu)`` of Mindlin for a
Poisson's ratio of 0.3.
"""


class LAMMPS(Program):
    """``F = K d^1.5`` with a dashpot, which is limited so that it never pulls."""

    name: ClassVar[str] = "lammps"
    title: ClassVar[str] = "LAMMPS"
    ending: ClassVar[str] = ".lammps"
    law: ClassVar[str] = (
        "granular, hertz with damping coeff_restitution limit_damping, tangential linear_history. "
        "Limited damping never pulls, and the restitution is then higher than the one that is "
        "asked for."
    )
    exponent: ClassVar[float] = 1.5
    sticking: ClassVar[str] = (
        "Friction is a spring with a slider: it holds at rest, and an impact that sticks springs "
        "back, up to the slip that it had."
    )
    checked: ClassVar[str] = "22 Jul 2025 update 4"
    source: ClassVar[str] = "LAMMPS's documentation of pair_style granular"

    def parameters(self, target: Target) -> dict[str, float]:
        """The spring is ``k_n sqrt(R) d^1.5``, ``R`` the effective radius; the restitution that is
        asked for is that of a contact without the limit, with the same dashpot.
        """
        from calibration.programs.conversions import ask_limited_dashpot  # imports JAX

        stiffness = target.stiffness(self.exponent)
        along = 1.5 * stiffness * math.sqrt(target.overlap(self.exponent))
        return {
            "k_n": stiffness / math.sqrt(target.effective_radius),
            "e": ask_limited_dashpot(self, target),
            "k_t": TANGENTIAL * along,
            "x_gamma_t": 0.0,
            "mu": target.friction,
        }

    def obtained(self, parameters: Mapping[str, float], target: Target) -> Obtained:
        """Of the dashpot that ends where its force does."""
        from calibration.programs.conversions import obtained_of_limited_dashpot  # imports JAX

        return Obtained(obtained_of_limited_dashpot(parameters["e"]), parameters["mu"])

    def remarks(self, parameters: Mapping[str, float], target: Target) -> tuple[str, ...]:
        """Units, and what is not used for which reason."""
        return (
            "units si. The bodies need atom_style sphere, comm_modify vel yes, fix nve/sphere.",
            "Without limit_damping the end of a contact pulls, and its friction with it: 11 % too "
            "much at a restitution of 0.3. damping tsuji obtains 0.44 where 0.3 is asked for.",
            f"k_n is of this pair: a sphere of another effective radius than "
            f"{target.effective_radius:.4g} m has another stiffness, but the same restitution.",
        )

    def block(self, parameters: Mapping[str, float], target: Target) -> str:
        """One set of coefficients, for the wall or for the pair."""
        values = {name: repr(value) for name, value in parameters.items()}
        model = (
            f"hertz {values['k_n']} {values['e']} &\n"
            f"    tangential linear_history {values['k_t']} {values['x_gamma_t']} "
            f"{values['mu']} &\n"
            "    damping coeff_restitution limit_damping"
        )
        step = f"timestep {target.step(self.exponent)!r}"
        if target.partner_radius is None:
            return (
                f"{step}\n# Between spheres: pair_style granular, pair_coeff * * and the same.\n"
                f"fix wall all wall/gran granular {model} &\n    zplane 0.0 NULL"
            )
        return f"{step}\npair_style granular\npair_coeff * * {model}"
