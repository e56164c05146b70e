"""Scenes integrated in time by scipy: an independent reference, which shares nothing with the
package.

The integration (DOP853) starts anew at every switch: touch-down, lift-off, and where a force
changes its sign. The derivative along a direction of all numbers is integrated beside the motion,
under the same control of the error: the rates are evaluated with an imaginary step, and at a
switch, whose time depends on the numbers, the derivative jumps with the rates. Where the rate of
the derivative has no bound at touch-down, it is the difference of motions instead.
"""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.integrate import DOP853, solve_ivp
from scipy.optimize import brentq

from tests.jaxcontact.simulation.multibody.equations_of_contact import (
    OPEN,
    PULLING,
    PUSHING,
    Kind,
    World,
)
from tests.jaxcontact.simulation.multibody.laws_in_numbers import STEP

MOST_SWITCHES = 2_000
"""More than any scene has: a force that switches for ever is no reference."""


STEEP = ("tsuji", "kuwabara_kono")
"""Laws whose force rises from touch-down like a power of the overlap less than one."""


class Motion(NamedTuple):
    """Of all bodies at the times, rows of 13 numbers, and its derivative; whether a contact
    ``is_pushed``.
    """

    states: np.ndarray
    slopes: np.ndarray
    is_pushed: bool


class Switch(NamedTuple):
    """A function of the state and the pair, which keeps this sign up to the switch."""

    function: Callable
    pair: tuple[int, int]
    sign: int


def integrate(kind: Kind, p: dict, along: dict, moments: np.ndarray, rtol=1e-11) -> Motion:
    """Motion of the scene with the numbers ``p``, and its derivative along a direction of them."""
    if kind.law in STEEP:
        return with_differences(kind, p, along, moments, rtol)
    return Integration(kind, p, along, rtol).motion(moments)


def with_differences(kind: Kind, p: dict, along: dict, moments: np.ndarray, rtol: float) -> Motion:
    """The derivative from four motions beside this one; another accuracy takes other steps."""
    step = 1e-5 * (rtol / 1e-11) ** 0.25
    still = {name: np.zeros_like(p[name]) for name in p}

    def motion(steps: int) -> Motion:
        other = {name: p[name] + steps * step * along[name] for name in p}
        return Integration(kind, other, still, rtol).motion(moments)

    far, near = (motion(k).states - motion(-k).states for k in (2, 1))
    return motion(0)._replace(slopes=(8 * near - far) / (12 * step))


class Integration:
    """A state and its derivative, one after the other in ``flat``, that go through time."""

    def __init__(self, kind: Kind, p: dict, along: dict, rtol: float):
        self.world = World(kind, {name: p[name] + 1j * STEP * along[name] for name in p})
        self.count = 13 * kind.bodies
        size, speed, unit_of_time = units(kind, p)
        scales = [size] * 3 + [1.0] * 4 + [speed] * 3 + [speed / size] * 3
        turns = np.max(np.linalg.norm(p["spin"], axis=-1)) if kind.clumps else 0.0
        self.options = {
            "rtol": rtol,
            "atol": np.tile(1e-2 * rtol * np.array(scales), 2 * kind.bodies),
            "max_step": min(unit_of_time / 4, 0.3 / turns if turns > 0.0 else np.inf),
        }
        self.after_touch_down = 1e-3 * duration_of_impact(kind, p)
        self.switches = 0
        for pair in self.world.pairs:
            if self.world.gap(self.world.start, pair)[0].real < 0.0:
                self.world.begin(self.world.start, pair, met=False)
        self.is_pushed = self.world.is_pushed(self.world.start)

    def motion(self, moments: np.ndarray) -> Motion:
        start = np.array(self.world.start)
        flat = np.concatenate([start.real, start.imag / STEP])
        seen = [flat]
        for begin, end in itertools.pairwise(moments):
            flat = self.advance(begin, end, flat)
            seen.append(flat)
        rows = np.array(seen).reshape(len(moments), 2, self.world.kind.bodies, 13)
        return Motion(rows[:, 0], rows[:, 1], self.is_pushed)

    def advance(self, t: float, end: float, flat: np.ndarray) -> np.ndarray:
        """The state at ``end``, through all switches before it."""
        first = None
        while t < end:
            t, flat, switch = self.up_to_a_switch(t, end, flat, first)
            first = None
            if switch is not None:
                t, flat = self.switched(t, flat, switch)
                met = switch.function == self.gap and switch.sign > 0
                first = min(self.after_touch_down, end - t) if met and t < end else None
        return flat

    def up_to_a_switch(self, t: float, end: float, flat: np.ndarray, first: float | None):
        """Time, state, and what switches there, ``None`` at the end."""
        solver = DOP853(self.rates, t, flat, end, first_step=first, **self.options)
        while solver.status == "running":
            message = solver.step()
            assert solver.status != "failed", message
            self.is_pushed |= self.world.is_pushed(solver.y[: self.count].tolist())
            found = self.first_switch(solver)
            if found is not None:
                at, switch = found
                # Not from the interpolation, which is less accurate: steps that end there.
                return at, self.without_switches(solver, at), switch
        return end, solver.y, None

    def first_switch(self, solver) -> tuple[float, Switch] | None:
        """Of the step that was just made."""
        inside = solver.dense_output()
        found = [(self.time_of(switch, inside), switch) for switch in self.watched()]
        happened = [(at, switch) for at, switch in found if at is not None]
        return min(happened, key=lambda one: one[0], default=None)

    def time_of(self, switch: Switch, inside) -> float | None:
        """Within a step; ``None`` if the function keeps its sign."""
        begin, end = inside.t_old, inside.t

        def signed(function):
            return lambda t: switch.sign * self.real(function, inside(t), switch.pair)

        value, rate = signed(switch.function), signed(self.world.rate)
        if switch.function == self.gap:
            if rate(begin) >= 0.0 and rate(end) >= 0.0:
                return None
            if rate(begin) < 0.0 < rate(end):
                end = brentq(rate, begin, end)  # the two come near and part again
            elif rate(end) < 0.0 < rate(begin):
                begin = brentq(rate, begin, end)  # or the other way round
        if value(end) >= 0.0:
            return None
        return brentq(value, begin, end, xtol=1e-18, rtol=1e-15) if value(begin) > 0.0 else begin

    def without_switches(self, solver, end: float) -> np.ndarray:
        """The state at a time within the last step."""
        if end == solver.t_old:
            return solver.y_old
        span = solver.t_old, end
        return solve_ivp(self.rates, span, solver.y_old, method=DOP853, **self.options).y[:, -1]

    def switched(self, t: float, flat: np.ndarray, switch: Switch) -> tuple[float, np.ndarray]:
        """Time and state after the switch; the derivative jumps as the rates do."""
        self.switches += 1
        assert self.switches < MOST_SWITCHES
        function, pair, _ = switch
        flow = self.rates(t, flat)
        value = self.real(function, flat, pair)
        rising = self.slope(function, flat, flow[: self.count], pair)
        rising -= self.slope(function, flat, 0.0 * flow[: self.count], pair)
        t, flat = t - value / rising, flat - flow * value / rising
        slope = self.slope(function, flat, flat[self.count :], pair)
        later = -slope / rising  # derivative of the time of the switch
        at_switch = flat[self.count :] + later * flow[: self.count]
        self.change_phase(switch, np.concatenate([flat[: self.count], at_switch]))
        after = at_switch - later * self.rates(t, flat)[: self.count]
        return t, np.concatenate([flat[: self.count], after])

    def change_phase(self, switch: Switch, flat: np.ndarray):
        phase, pair = self.world.phase, switch.pair
        if phase[pair] == OPEN:
            self.world.begin(self.complex_state(flat), pair, met=True)
        elif switch.function == self.gap:
            phase[pair] = OPEN
        else:
            phase[pair] = PULLING if phase[pair] == PUSHING else PUSHING

    def watched(self) -> list[Switch]:
        found = []
        for pair, phase in self.world.phase.items():
            found.append(Switch(self.gap, pair, 1 if phase == OPEN else -1))
            if phase != OPEN:
                found.append(Switch(self.world.bracket, pair, 1 if phase == PUSHING else -1))
        return found

    def gap(self, y, pair):
        return self.world.gap(y, pair)[0]

    def real(self, function: Callable, flat: np.ndarray, pair) -> float:
        return function(flat[: self.count].tolist(), pair).real

    def complex_state(self, flat: np.ndarray) -> list:
        return (flat[: self.count] + 1j * STEP * flat[self.count :]).tolist()

    def slope(self, function: Callable, flat: np.ndarray, along: np.ndarray, pair) -> float:
        """Derivative of a function where the state moves along this, and the numbers as they do."""
        return function((flat[: self.count] + 1j * STEP * along).tolist(), pair).imag / STEP

    def rates(self, _, flat: np.ndarray) -> np.ndarray:
        found = np.array(self.world.rates(self.complex_state(flat)))
        return np.concatenate([found.real, found.imag / STEP])


def units(kind: Kind, p: dict) -> tuple[float, float, float]:
    """Of length, speed and time: the smallest radius, the fastest speed, and their ratio."""
    size = float(np.min(p["radius"]))
    speeds = np.linalg.norm(p["velocity"], axis=-1), size * np.linalg.norm(p["spin"], axis=-1)
    fastest = float(max(np.max(speeds), np.linalg.norm(p["gravity"]) * size))
    return size, fastest, size / fastest


def duration_of_impact(kind: Kind, p: dict) -> float:
    """In order of magnitude."""
    _, speed, _ = units(kind, p)
    stiffness, _, exponent = p["law"]
    if kind.law == "linear":
        return float(3 * (np.min(p["mass"]) / stiffness) ** 0.5)
    n = exponent if kind.law in ("hunt_crossley", "elastic") else 1.5
    return float(3 * (np.min(p["mass"]) * speed**2 / stiffness) ** (1 / (n + 1)) / speed)
