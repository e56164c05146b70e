"""MuJoCo: a contact pair with direct ``solref``, and an impedance so small that a slip does not
raise the normal force.
"""

import math
from collections.abc import Mapping
from typing import ClassVar

from calibration.programs.program import Obtained, Program
from calibration.programs.target import Target

IMPEDANCE = 1e-4
"""``d`` of ``solimp``, the smallest that the program admits.

The forces of a contact solve ``(A + R) f = a_ref - a_0`` inside the friction cone, ``R = A (1 -
d)/d`` along the normal. While it slides, the normal force is ``(a_ref,n + mu b v)/(A_n + R_n + mu^2
(A_t + R_t))``, ``v`` the slip and ``-b v`` its reference acceleration. At the usual ``d = 0.9``
that is neither the force of the normal alone, nor is it known which; at ``d = 1e-4`` the second
term of the denominator vanishes beside the first, ``A/d``, and the reference ``a_ref,n``, which is
``1/d`` times that of the motion, beside what the slip adds.
"""

IMPRATIO = 1e5
"""``R_n/R_t``: friction has no more compliance of its own than ``A_t/10``."""

SLIP_LEFT = 0.5
"""Share of a slip that is left after a step of an impact that sticks."""

END = "zero_force"
"""A constraint only pushes: a contact ends where its force would begin to pull."""


class MuJoCo(Program):
    """``x'' = -K x - B x'`` of the overlap, whatever the masses are."""

    name: ClassVar[str] = "mujoco"
    title: ClassVar[str] = "MuJoCo"
    ending: ClassVar[str] = ".xml"
    law: ClassVar[str] = (
        "a contact pair with the direct solref, -K and -B of the overlap's own equation, linear, "
        "the same for all masses; it ends where its force would pull. solimp is as small as "
        "possible, else the normal force grows with the slip."
    )
    exponent: ClassVar[float] = 1.0
    sticking: ClassVar[str] = "An impact that sticks leaves without slip."
    checked: ClassVar[str] = "4.0.1"
    source: ClassVar[str] = "MuJoCo's documentation, Computation: Constraint model; Contact"
    comment: ClassVar[str] = "<!-- {} -->"

    def parameters(self, target: Target) -> dict[str, float]:
        """``K = k/m``, ``B = 2 zeta sqrt(K)``; friction is damped by half in each step."""
        from calibration.programs.conversions import damping_of_restitution  # imports JAX

        stiffness = target.stiffness(self.exponent) / target.effective_mass
        zeta = damping_of_restitution(END)(target.restitution)
        step = target.step(self.exponent)
        return {
            "K": stiffness,
            "B": 2 * zeta * math.sqrt(stiffness),
            "friction": target.friction,
            "B_friction": (1 - SLIP_LEFT) * IMPEDANCE / step,
            "impedance": IMPEDANCE,
            "impratio": IMPRATIO,
            "timestep": step,
        }

    def obtained(self, parameters: Mapping[str, float], target: Target) -> Obtained:
        """Of the linear oscillator."""
        from calibration.programs.conversions import restitution_of_damping  # imports JAX

        zeta = parameters["B"] / (2 * math.sqrt(parameters["K"]))
        return Obtained(restitution_of_damping(END)(zeta), parameters["friction"])

    def remarks(self, parameters: Mapping[str, float], target: Target) -> tuple[str, ...]:
        """What is of the whole model, and what else a pair needs."""
        return (
            "cone, impratio and timestep are of the whole model. With a longer step, the second "
            "number of solreffriction must fall in proportion.",
            "Only a pair has a solreffriction. Names of geoms are to be replaced by yours. A "
            "coefficient of friction below 1e-5 counts as 1e-5.",
            "Rolling and torsional friction are off (condim 3).",
        )

    def block(self, parameters: Mapping[str, float], target: Target) -> str:
        """Options of the model and a contact pair."""
        partner = "wall" if target.partner_radius is None else "partner"
        friction = f"{parameters['friction']!r} {parameters['friction']!r} 0 0 0"
        step, ratio = parameters["timestep"], parameters["impratio"]
        return f"""<mujoco>
  <option timestep="{step!r}" cone="elliptic" impratio="{ratio!r}"/>
  <contact>
    <pair geom1="ball" geom2="{partner}" condim="3"
          friction="{friction}"
          solref="{-parameters["K"]!r} {-parameters["B"]!r}"
          solreffriction="0 {-parameters["B_friction"]!r}"
          solimp="{parameters["impedance"]!r} {parameters["impedance"]!r} 0.001 0.5 1"/>
  </contact>
</mujoco>"""
