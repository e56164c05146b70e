"""Normal forces in plain Python, real or complex, written from the docstrings of the laws: an
independent reference.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

STEP = 1e-30
"""Imaginary step of derivatives: so small that its square is nothing beside rounding."""


def with_slope(solve, residual, at):
    """Root by ``solve`` of the real part, with the derivative: a Newton step in complex numbers."""
    root = solve(at.real)
    slope = residual(root + 1j * STEP, at.real).imag / STEP
    return root - 1j * residual(root, at).imag / slope


def hunt_crossley_damping(restitution):
    """``a`` with ``a (1 + e) = ln((1 + a)/(1 - a e))``."""

    def residual(a, e):
        return a * (1 + e) - np.log((1 + a) / (1 - a * e))

    def solve(e):
        return brentq(residual, (1 - e) / 2, (1 - 1e-15) / e, args=(e,), xtol=1e-16, rtol=1e-15)

    return with_slope(solve, residual, restitution)


def dashpot_zeta(restitution, end: str):
    """Damping relative to critical of a linear oscillator that leaves with ``restitution``."""
    if end == "zero_overlap":
        loss = -np.log(restitution)
        return loss / (math.pi**2 + loss**2) ** 0.5

    def residual(zeta, e):
        root = (1 - zeta * zeta) ** 0.5
        return 2 * zeta * np.arccos(zeta) / root + np.log(e)

    def solve(e):
        return brentq(residual, 0.0, 1 - 1e-9, args=(e,), xtol=1e-16, rtol=1e-15)

    return with_slope(solve, residual, restitution)


class Law(NamedTuple):
    """A normal force ``factor(d) * bracket(d, d')``; the bracket does not vanish with the overlap,
    so its sign is that of the force.
    """

    factor: object
    bracket: object


def power(d, n):
    """``sign(d) |d|^n``."""
    return d**n if d.real > 0.0 else -((-d) ** n) if d.real < 0.0 else 0.0 * d


def normal_force(law: str, end: str, numbers, impact_speed, mass) -> Law:
    """The force of a contact that began with this speed; ``mass`` resists an impulse along the
    normal. ``law`` and ``end`` are as in ``Kind``; ``numbers`` are the stiffness, what damps, and
    an exponent.
    """
    stiffness, damping, exponent = numbers
    if law == "hunt_crossley":  # K d^n (1 + a d'/v)
        rest = impact_speed.real <= 0.0
        a = 0.0 if rest else hunt_crossley_damping(damping) / impact_speed
        return Law(lambda d: stiffness * power(d, exponent), lambda d, rate: 1.0 + a * rate)
    if law == "elastic":  # K d^n
        return Law(lambda d: stiffness * power(d, exponent), lambda d, rate: 1.0)
    if law == "linear":  # k d + c d'
        c = 2.0 * dashpot_zeta(damping, end) * (stiffness * mass) ** 0.5
        return Law(lambda d: 1.0, lambda d, rate: stiffness * d + c * rate)
    if law == "tsuji":  # K d^(3/2) + alpha sqrt(m K) d^(1/4) d'
        alpha = 5.0**0.5 * dashpot_zeta(damping, end) * (mass / stiffness) ** 0.5
        return Law(
            lambda d: stiffness * power(d, 0.25), lambda d, rate: power(d, 1.25) + alpha * rate
        )
    if law == "kuwabara_kono":  # K (d^(3/2) + (3/2) A sqrt(d) d')
        return Law(lambda d: stiffness * power(d, 0.5), lambda d, rate: d + 1.5 * damping * rate)
    assert law == "hertz_dashpot"  # K d^(3/2) + c d'
    return Law(lambda d: 1.0, lambda d, rate: stiffness * power(d, 1.5) + damping * rate)
