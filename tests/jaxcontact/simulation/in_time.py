"""A sphere above planes integrated in time by scipy: an independent reference, slow and without
tricks.

Only numpy and scipy. Flights and contacts are integrated with DOP853 to 1e-12 and switched where
the event of the law says so. In a contact the position is measured from the point of touch-down, so
that overlaps keep their digits.
"""

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

PHI = {
    "linear": lambda x: min(x, 1.0),
    "root": lambda x: x / math.sqrt(1.0 + x * x),
    "tanh": math.tanh,
    "exponential": lambda x: -math.expm1(-x),
}


@functools.cache
def hunt_crossley_damping(restitution: float) -> float:
    """``a`` with ``a (1 + e) = ln((1 + a)/(1 - a e))``."""
    if restitution == 1.0:
        return 0.0
    e = restitution

    # In q = 1 - a e, which is tiny for small e.
    def residual(log_q: float) -> float:
        a = -np.expm1(log_q) / e
        return a * (1.0 + e) - np.log1p(a) + log_q

    return -np.expm1(brentq(residual, -3.0 / e, -1e-9, xtol=1e-15, rtol=1e-14)) / e


def dashpot_zeta(restitution: float, end: str) -> float:
    """Damping relative to critical of a linear oscillator that leaves with ``restitution``, from
    its closed solution.
    """
    loss = -np.log(restitution)
    if end == "zero_overlap":
        return loss / np.hypot(np.pi, loss)
    if loss == 0.0:
        return 0.0

    def exponent(zeta: float) -> float:
        if abs(zeta - 1.0) < 1e-9:
            return 2.0
        arc = (
            np.arccos(zeta) / np.sqrt(1.0 - zeta**2)
            if zeta < 1.0
            else np.arccosh(zeta) / np.sqrt(zeta**2 - 1.0)
        )
        return 2.0 * zeta * arc

    return brentq(lambda zeta: exponent(zeta) - loss, 0.0, 1e3, xtol=1e-15, rtol=1e-14)


@dataclasses.dataclass(frozen=True)
class Normal:
    """``force(overlap, overlap_rate, impact_speed)`` [N], and whether the contact ends where it
    vanishes instead of at zero overlap.
    """

    force: Callable[[float, float, float], float]
    ends_at_zero_force: bool = False


def hunt_crossley(stiffness: float, restitution: float, exponent: float = 1.5) -> Normal:
    a = hunt_crossley_damping(restitution)
    return Normal(lambda d, rate, v: stiffness * max(d, 0.0) ** exponent * (1.0 + a * rate / v))


def linear_dashpot(stiffness: float, restitution: float, mass: float, end: str) -> Normal:
    damping = 2.0 * dashpot_zeta(restitution, end) * np.sqrt(stiffness * mass)
    return Normal(lambda d, rate, v: stiffness * d + damping * rate, end == "zero_force")


def tsuji_dashpot(stiffness: float, restitution: float, mass: float, end: str) -> Normal:
    damping = np.sqrt(5.0) * dashpot_zeta(restitution, end) * np.sqrt(stiffness * mass)
    return Normal(
        lambda d, rate, v: stiffness * max(d, 0.0) ** 1.5 + damping * max(d, 0.0) ** 0.25 * rate,
        end == "zero_force",
    )


@dataclasses.dataclass(frozen=True)
class Sphere:
    """A sphere, its contact with planes ``normal . x = offset`` of any length of normal, gravity
    and fluid, all in SI units.
    """

    normal_law: Normal
    radius: float = 0.02
    mass: float = 0.01
    inertia_ratio: float = 0.4
    planes: tuple = (((0.0, 0.0, 1.0), 0.0),)
    friction: float = 0.0
    slip_velocity: float = 0.1
    phi: str = "root"
    gravity: tuple = (0.0, 0.0, -9.81)
    drag: float = 0.0
    lift: float = 0.0
    fluid_density: float = 1.2

    def acceleration(self, velocity: Sequence[float], spin: Sequence[float]) -> list[float]:
        pressure = 0.5 * self.fluid_density * np.pi * self.radius**2 / self.mass
        slowing = pressure * self.drag * math.hypot(*velocity)
        lift = pressure * self.lift * self.radius
        return [
            g - slowing * v + lift * across
            for g, v, across in zip(self.gravity, velocity, cross(spin, velocity), strict=True)
        ]

    def flight_rates(self, _: float, y: np.ndarray) -> list[float]:
        state = y.tolist()
        v, w = state[3:6], state[6:9]
        return [*v, *self.acceleration(v, w), 0.0, 0.0, 0.0]

    def contact_rates(self, y: np.ndarray, normal: np.ndarray, speed: float) -> list[float]:
        """Rates in a contact; positions are measured from touch-down."""
        n, state = normal.tolist(), y.tolist()
        x, v, w = state[:3], state[3:6], state[6:9]
        rate = dot(v, n)
        normal_force = self.normal_law.force(-dot(x, n), -rate, speed)
        slip = [v[i] - rate * n[i] + self.radius * turning for i, turning in enumerate(cross(n, w))]
        size = math.hypot(*slip)
        share = 0.0
        if size > 0.0:
            share = (
                -self.friction
                * max(normal_force, 0.0)
                * PHI[self.phi](size / self.slip_velocity)
                / size
            )
        friction = [share * along for along in slip]
        acceleration = [
            free + (normal_force * n[i] + friction[i]) / self.mass
            for i, free in enumerate(self.acceleration(v, w))
        ]
        arm = -1.0 / (self.inertia_ratio * self.mass * self.radius)
        return [*v, *acceleration, *(arm * moment for moment in cross(n, friction))]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """Of three plain numbers each, for which NumPy takes ten times as long."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@dataclasses.dataclass(frozen=True)
class Path:
    """State (times, 9) at the times, and contacts as rows (time of touch-down, of lift-off, speed
    before, speed after).

    A last contact that lasts beyond the last time is a row, too.
    """

    states: np.ndarray
    contacts: np.ndarray


TIGHT = {"method": "DOP853", "rtol": 1e-12, "dense_output": True}


def integrate(sphere: Sphere, start: np.ndarray, times: np.ndarray) -> Path:
    """Motion from ``start`` (position, velocity, spin) at ``times[0]``, a flight."""
    y, clock, horizon, rebound = np.asarray(start, float), float(times[0]), float(times[-1]), 0.0
    planes = [(np.asarray(n) / np.linalg.norm(n), h) for n, h in sphere.planes]
    states, contacts = np.full((len(times), 9), np.nan), []

    def store(solution, begin, end, origin):
        here = (times >= begin) & (times <= end)
        if np.any(here):
            states[here] = solution.sol(times[here]).T + origin

    def gap_event(n, h):
        def event(_, y):
            return y[:3] @ n - h - sphere.radius

        event.terminal, event.direction = True, -1
        return event

    while True:
        # After a contact the gap is zero to rounding; it must be seen to open before it closes.
        hop = max(0.2 * rebound / np.linalg.norm(sphere.gravity), 1e-9) if contacts else 0.05
        rates, events = sphere.flight_rates, [gap_event(*p) for p in planes]
        flight = solve_ivp(
            rates,
            (clock, horizon + 1e-9),
            y,
            events=events,
            atol=1e-13,
            max_step=min(hop, 0.05),
            **TIGHT,
        )
        store(flight, clock, flight.t[-1], 0.0)
        if flight.status == 0:
            return Path(states, np.reshape(contacts, (-1, 4)))
        clock = flight.t[-1]
        which = next(i for i, found in enumerate(flight.t_events) if found.size)
        n = planes[which][0]
        touch = flight.y_events[which][0]
        origin = np.concatenate([touch[:3], np.zeros(6)])
        speed = float(-(touch[3:6] @ n))

        def ends(_, y, n=n, speed=speed):
            overlap, rate = -(y[:3] @ n), -(y[3:6] @ n)
            return (
                sphere.normal_law.force(overlap, rate, speed)
                if sphere.normal_law.ends_at_zero_force and rate < 0
                else overlap
            )

        ends.terminal, ends.direction = True, -1
        contact = solve_ivp(
            lambda _, y, n=n, speed=speed: sphere.contact_rates(y, n, speed),
            (clock, horizon + 0.1),
            touch - origin,
            events=ends,
            atol=np.repeat([1e-16, 1e-13, 1e-11], 3),
            first_step=1e-9,
            **TIGHT,
        )
        store(contact, clock, contact.t[-1], origin)
        y = contact.y[:, -1] + origin
        rebound = y[3:6] @ n
        contacts.append((clock, contact.t[-1], speed, rebound))
        clock = contact.t[-1]
        if clock > horizon:
            return Path(states, np.reshape(contacts, (-1, 4)))
