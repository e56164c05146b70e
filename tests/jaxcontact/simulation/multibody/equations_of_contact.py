"""Equations of motion of spheres and clumps that touch each other, planes and curved obstacles, in
plain Python numbers: they share nothing with the package.

Numbers may be complex: an imaginary part of ``STEP`` times a direction gives derivatives along it.
"""

import dataclasses
import math
from typing import NamedTuple

import numpy as np

from tests.jaxcontact.simulation.multibody.geometry_in_numbers import (
    axes_of,
    cross,
    dot,
    length,
    outside,
    plus,
    times,
    times_number,
    transposed,
)
from tests.jaxcontact.simulation.multibody.laws_in_numbers import normal_force

OPEN, PUSHING, PULLING = range(3)
"""Of a pair: apart, in contact, and in contact where the dashpot outweighs the spring."""

PUSHED = 2.0
"""A contact that is that many times faster than it began was pushed into it by something else."""

AIR = 1.2
"""Density [kg/m^3]."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """What is no number: which member is of which body, the obstacles, and the laws.

    Attributes:
        of_body: body of each member.
        obstacles: of each, ``"plane"``, ``"sphere"``, ``"hollow sphere"``, ``"capsule"`` or
            ``"box"``.
        law: name of the normal law, see ``normal_force``.
        end: ``"zero_overlap"`` or ``"zero_force"`` of a contact with a dashpot.
        clumps: whether bodies have an orientation.
        drag: whether there is air.
        twisted: whether contacts resist rolling and spinning.
        general: whether one sphere over one plane goes through the engine for several bodies.
        column: whether the bodies fall on the first obstacle, a plane, one close above the other.
    """

    of_body: tuple[int, ...]
    obstacles: tuple[str, ...] = ()
    law: str = "hunt_crossley"
    end: str = "zero_overlap"
    clumps: bool = False
    drag: bool = False
    twisted: bool = False
    general: bool = False
    column: bool = False

    @property
    def bodies(self) -> int:
        """How many."""
        return max(self.of_body) + 1


def root_law(rate, scale):
    """``x/sqrt(1 + x^2)`` along ``rate``, ``x = |rate|/scale``."""
    u = times_number(rate, 1 / scale)
    return times_number(u, 1 / (1.0 + dot(u, u)) ** 0.5)


class Touch(NamedTuple):
    """Geometry of a pair: the normal points at the first partner, arms go from the centres of mass
    to where they push each other.
    """

    gap: complex
    normal: list
    arms: tuple
    velocity: list


class World:
    """A scene of complex numbers ``p``, whose imaginary parts are ``STEP`` times a direction.

    A state is a list of 13 numbers for each body: position, quaternion, velocity, spin.
    """

    def __init__(self, kind: Kind, p: dict):
        p = {name: np.asarray(value, dtype=complex).tolist() for name, value in p.items()}
        self.kind, self.p, bodies = kind, p, kind.bodies
        if kind.clumps:
            self.inertia = p["inertia"]
        else:
            moments = [0.4 * m * r * r for m, r in zip(p["mass"], p["radius"], strict=True)]
            self.inertia = [(i * np.eye(3)).tolist() for i in moments]
        self.inverse = [self._inverted(np.array(tensor)) for tensor in self.inertia]
        members = range(len(kind.of_body))
        self.pairs = [
            (i, j) for i in members for j in members if j > i and kind.of_body[i] != kind.of_body[j]
        ] + [(i, -1 - k) for k in range(len(kind.obstacles)) for i in members]
        self.phase = dict.fromkeys(self.pairs, OPEN)
        self.laws: dict = {}
        self.speed_at_touch: dict = {}
        turned = p["orientation"] if kind.clumps else [[1.0, 0.0, 0.0, 0.0]] * bodies
        sizes = [sum(x * x for x in q) ** 0.5 for q in turned]
        self.start = [
            number
            for i in range(bodies)
            for number in (
                *p["position"][i],
                *(x / sizes[i] for x in turned[i]),
                *p["velocity"][i],
                *p["spin"][i],
            )
        ]

    @staticmethod
    def _inverted(tensor):
        inverse = np.linalg.inv(tensor.real)
        return (inverse - 1j * inverse @ tensor.imag @ inverse).tolist()

    def member(self, y, i):
        """Centre, body, and arm from the centre of mass."""
        body = self.kind.of_body[i]
        at = 13 * body
        centre, arm = y[at : at + 3], [0.0, 0.0, 0.0]
        if self.kind.clumps:
            arm = times(axes_of(y[at + 3 : at + 7]), self.p["offset"][i])
            centre = plus(centre, arm)
        return centre, body, arm

    def gap(self, y, pair):
        """Gap and normal."""
        i, j = pair
        radius, centre = self.p["radius"], self.member(y, i)[0]
        if j < 0:
            numbers = self.p[f"obstacle {-1 - j}"]
            distance, normal = outside(self.kind.obstacles[-1 - j], numbers, centre)
            return distance - radius[i], normal
        apart = plus(centre, self.member(y, j)[0], -1.0)
        distance = length(apart)
        return distance - radius[i] - radius[j], [x / distance for x in apart]

    def touch(self, y, pair) -> Touch:
        """The pair, and the velocity of its first partner against its second where they touch."""
        (i, j), (gap, normal) = pair, self.gap(y, pair)
        middle = j >= 0 or self.kind.obstacles[-1 - j] == "sphere"
        _, body, arm = self.member(y, i)
        own = plus(arm, normal, -(self.p["radius"][i] + (gap / 2 if middle else 0.0)))
        at = 13 * body
        velocity = plus(y[at + 7 : at + 10], cross(y[at + 10 : at + 13], own))
        if j < 0:
            return Touch(gap, normal, (own,), velocity)
        _, body, arm = self.member(y, j)
        other = plus(arm, normal, self.p["radius"][j] + gap / 2)
        at = 13 * body
        moving = plus(y[at + 7 : at + 10], cross(y[at + 10 : at + 13], other))
        return Touch(gap, normal, (own, other), plus(velocity, moving, -1.0))

    def rate(self, y, pair):
        """Of the gap."""
        touch = self.touch(y, pair)
        return dot(touch.velocity, touch.normal)

    def bracket(self, y, pair):
        """What has the sign of the normal force."""
        touch = self.touch(y, pair)
        return self.laws[pair].bracket(-touch.gap, -dot(touch.velocity, touch.normal))

    def mass(self, y, pair):
        """What resists an impulse along the normal."""
        touch, total = self.touch(y, pair), 0.0
        for member, arm in zip(pair, touch.arms, strict=False):
            body = self.kind.of_body[member]
            moment = self.in_body_axes(y, body, cross(arm, touch.normal))
            total += 1 / self.p["mass"][body] + dot(moment, times(self.inverse[body], moment))
        return 1 / total

    def in_body_axes(self, y, body, vector):
        axes = axes_of(y[13 * body + 3 : 13 * body + 7])
        return times(transposed(axes), vector)

    def begin(self, y, pair, *, met: bool):
        """A contact that begins, or (not ``met``) that is there at the start."""
        speed = -self.rate(y, pair)
        speed = speed if met or speed.real > 0.0 else 0.0 * speed
        law = normal_force(self.kind.law, self.kind.end, self.p["law"], speed, self.mass(y, pair))
        self.laws[pair], self.speed_at_touch[pair] = law, speed.real
        self.phase[pair] = PUSHING if self.bracket(y, pair).real > 0.0 else PULLING

    def is_pushed(self, y) -> bool:
        """Whether a contact of Hunt and Crossley has become far faster than the speed that its
        damping is measured by, or lies in an overlap that will make it. Their damping would know no
        bounds, and no docstring says which the package takes instead.
        """
        if self.kind.law != "hunt_crossley":
            return False
        stiffness, _, exponent = (number.real for number in self.p["law"])
        for pair, phase in self.phase.items():
            if phase != OPEN and self.speed_at_touch[pair] > 0.0:
                overlap, mass = max(-self.gap(y, pair)[0].real, 0.0), self.mass(y, pair).real
                by_overlap = (stiffness * overlap ** (exponent + 1) / mass) ** 0.5
                fastest = max(abs(self.rate(y, pair).real), by_overlap)
                if fastest > PUSHED * self.speed_at_touch[pair]:
                    return True
        return False

    def push(self, y, pair):
        """Force and torque on the first partner, and the arms."""
        touch, none = self.touch(y, pair), [0.0, 0.0, 0.0]
        rate = -dot(touch.velocity, touch.normal)
        law, d = self.laws[pair], -touch.gap
        load = law.factor(d) * law.bracket(d, rate)
        if self.phase[pair] == PULLING:
            attracts = self.kind.end == "zero_overlap" and self.kind.law != "hunt_crossley"
            return times_number(touch.normal, load if attracts else 0.0), none, touch.arms
        slip = plus(touch.velocity, touch.normal, rate)
        coefficient, slip_velocity = self.p["friction"]
        force = plus(
            times_number(touch.normal, load), root_law(slip, slip_velocity), -coefficient * load
        )
        torque = self.torque(y, pair, touch.normal, load) if self.kind.twisted else none
        return force, torque, touch.arms

    def torque(self, y, pair, normal, load):
        """Of rolling resistance (type A of Ai et al., regularised), and of spinning friction on
        Hertz's disk under a uniform pressure.
        """
        rolling, rolling_velocity, spinning, spin_velocity = self.p["twisted"]
        radii = [self.p["radius"][member] for member in pair if member >= 0]
        radius = 1 / sum(1 / r for r in radii)
        spins = [
            y[13 * self.kind.of_body[m] + 10 : 13 * self.kind.of_body[m] + 13]
            for m in pair
            if m >= 0
        ]
        spin = spins[0] if len(spins) == 1 else plus(spins[0], spins[1], -1.0)
        about = times_number(normal, dot(spin, normal))
        overlap = -self.gap(y, pair)[0]
        disk = (radius * overlap) ** 0.5 if overlap.real > 0.0 else 0.0
        bend = root_law(plus(spin, about, -1.0), rolling_velocity)
        twist = root_law(about, spin_velocity)
        held = times_number(bend, -rolling * radius * load)
        return plus(held, twist, -2 / 3 * spinning * disk * load)

    def rates(self, y):
        """Of the state."""
        bodies, gravity = range(self.kind.bodies), self.p["gravity"]
        forces = [[m * g for g in gravity] for m in self.p["mass"]]
        torques = [[0.0, 0.0, 0.0] for _ in bodies]
        for pair, phase in self.phase.items():
            if phase != OPEN:
                force, torque, arms = self.push(y, pair)
                for member, arm, sign in zip(pair, arms, (1.0, -1.0), strict=False):
                    body = self.kind.of_body[member]
                    forces[body] = plus(forces[body], force, sign)
                    moment = plus(cross(arm, force), torque)
                    torques[body] = plus(torques[body], moment, sign)
        out = []
        for body in bodies:
            at = 13 * body
            w, *xyz = y[at + 3 : at + 7]
            velocity, spin = y[at + 7 : at + 10], y[at + 10 : at + 13]
            force, mass = forces[body], self.p["mass"][body]
            if self.kind.drag:  # -1/2 rho C_D pi R^2 |v| v
                area = math.pi * self.p["radius"][body] ** 2
                force = plus(force, velocity, -AIR / 2 * self.p["drag"] * area * length(velocity))
            if self.kind.clumps:
                turning = [-dot(spin, xyz) / 2]
                turning += [(w * s + c) / 2 for s, c in zip(spin, cross(spin, xyz), strict=True)]
                own, torque = (self.in_body_axes(y, body, x) for x in (spin, torques[body]))
                moment = plus(torque, cross(own, times(self.inertia[body], own)), -1.0)
                axes = axes_of(y[at + 3 : at + 7])
                spin_rate = times(axes, times(self.inverse[body], moment))
            else:
                turning = [0.0] * 4
                spin_rate = times(self.inverse[body], torques[body])
            out += [*velocity, *turning, *(f / mass for f in force), *spin_rate]
        return out
