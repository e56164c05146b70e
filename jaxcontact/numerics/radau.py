"""Collocation of the kind Radau IIA: an implicit step of high order that damps what is stiff.

With nodes ``c_i`` in (0, 1], the last of them 1, the changes ``Z_i`` of a state since the start of
a step of length ``h`` solve ``Z = h A f(y_0 + Z)``. The polynomial through ``0, Z_1, ..., Z_s``
solves the equation at the nodes; its last value is of order ``2 s - 1``.

Where a solution is smooth in a power of the time only, a step is taken in ``sigma`` with the time
``h g(sigma)``: then ``W = A g'(sigma)`` stands for ``A``.

Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed. (1996), IV.5 and
IV.8.
"""

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre


class Collocation(NamedTuple):
    """Of polynomials that are known at the nodes.

    Attributes:
        nodes: ``(s,)``.
        integrals: from 0 to each node, by the values at the nodes, ``(s, s)``.
        powers: coefficients of the powers 0 to s of the polynomial that is 0 at the start, too,
            ``(s + 1, s)``.
        last: its coefficient of the last Legendre polynomial, ``(s,)``.
    """

    nodes: np.ndarray
    integrals: np.ndarray
    powers: np.ndarray
    last: np.ndarray


@lru_cache
def radau(stages: int) -> Collocation:
    """The nodes are the roots of ``P_s - P_(s-1)`` on [0, 1]."""
    roots = np.real(legendre.legroots([*([0.0] * (stages - 1)), -1.0, 1.0]))
    nodes = np.sort((1 + roots) / 2)
    nodes[-1] = 1.0
    lagrange = np.linalg.inv(np.vander(nodes, stages, increasing=True))
    integral_powers = lagrange / np.arange(1, stages + 1)[:, None]
    integrals = nodes[:, None] ** np.arange(1, stages + 1) @ integral_powers
    through_zero = np.append(0.0, nodes)
    series = np.linalg.inv(legendre.legvander(2 * through_zero - 1, stages))[:, 1:]
    powers = np.linalg.inv(np.vander(through_zero, stages + 1, increasing=True))[:, 1:]
    return Collocation(nodes, integrals, powers, series[-1])


class Graded(NamedTuple):
    """Times ``g(sigma)`` at the nodes ``(3, s)``, in units of the step, and the
    matrices ``W`` ``(3, s, s)``: of a plain step, of one that begins and of one that ends where the
    motion is smooth in ``time^(1/power)`` only.
    """

    times: np.ndarray
    matrices: np.ndarray


PLAIN, FROM, TOWARDS = range(3)
"""Kinds of steps."""


def graded(stages: int, power: int) -> Graded:
    """The three kinds of steps, ``g = sigma``, ``sigma^power`` and ``1 - (1 - sigma)^power``."""
    c, integrals, *_ = radau(stages)
    rest = 1 - c
    times = np.stack([c, c**power, 1 - rest**power])
    slopes = np.stack([np.ones_like(c), power * c ** (power - 1), power * rest ** (power - 1)])
    return Graded(times, integrals * slopes[:, None, :])


@lru_cache
def moments(stages: int, power: int) -> np.ndarray:
    """``m`` in ``sum_j m[kind, j, k] sigma^(j+1)``, the integral of ``sigma^k g'(sigma)`` from 0,
    for the three kinds of steps and ``k`` from 0 to s, ``(3, s + power, s + 1)``.

    With them the integral of a polynomial over the time is exact between the nodes, too. The
    interpolant of its product with ``g'`` is right at the end only.
    """
    found = np.zeros((3, stages + power, stages + 1))
    for k in range(stages + 1):
        found[PLAIN, k, k] = 1 / (k + 1)
        found[FROM, k + power - 1, k] = power / (k + power)
        for j in range(power):
            found[TOWARDS, k + j, k] = power * comb(power - 1, j) * (-1) ** j / (k + j + 1)
    return found
