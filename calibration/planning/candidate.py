"""An experiment that could be done: how the sphere is let go, what watches it, how often, and at
what cost.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp

import jaxcontact as jc
from calibration.detection.impacts import height_at_impact
from calibration.errors import InputError
from calibration.io.impact_table import ImpactTable
from jaxcontact.parameters import nearest

LAUNCH = ("height", "speed", "angle", "spin", "duration")
"""Continuous design variables of the motion."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Candidate:
    """An experiment that could be done.

    Args:
        instruments: what watches the motion (``Film``, ``Sound`` ...), or an ``ImpactTable`` alone,
            of which the measured numbers do not matter: only what would be measured at which
            speeds, angles and spins, and how well.
        height: of the lowest point of the sphere above the surface at the start [m].
        speed: at the start [m/s].
        angle: of the velocity above the horizontal [deg]; -90 is straight down.
        spin: at the start [rad/s], positive as in rolling along the velocity.
        duration: until when it is measured [s].
        repeats: how often it is done.
        cost: of one repeat, in any unit; ``None`` where it does not matter.
        nuisance: parameters of each repeat; by default those of the problem it adds to, and time and
            speed of the first impact where no instrument shows positions. ``()`` for a start that
            is known exactly.
        vary: design variables to be chosen, with their bounds: ``height``, ``speed``, ``angle``,
            ``spin``, ``duration``, or an attribute of an instrument, e.g. ``{"height": (0.1, 2.0),
            "rate": (50.0, 2000.0)}``.
        name: by default from the rest.

    Raises:
        InputError: nothing watches it, a number out of range, a variable that does not exist.
    """

    instruments: tuple[Any, ...]
    height: float = 0.5
    speed: float = 0.0
    angle: float = 0.0
    spin: float = 0.0
    duration: float = 1.0
    repeats: int = 1
    cost: float | None = None
    nuisance: tuple[Any, ...] | None = None
    vary: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        given = (
            self.instruments if isinstance(self.instruments, (tuple, list)) else (self.instruments,)
        )
        object.__setattr__(self, "instruments", tuple(given))
        if not self.instruments:
            raise InputError(
                "Candidate: nothing watches it.",
                remedy="Give instruments, e.g. (Film(rate=240, sigma=3e-4),).",
            )
        if self.table is None and any(isinstance(item, ImpactTable) for item in self.instruments):
            raise InputError(
                "Candidate: an impact table goes with no other instrument.",
                remedy="Make two candidates of them.",
            )
        for name, low in (("height", 0.0), ("speed", 0.0), ("duration", 0.0)):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= low) or (name == "duration" and value == 0):
                raise InputError(
                    f"Candidate: {name} = {value!r} is outside its range, at least {low:g}."
                )
        if not (isinstance(self.repeats, int) and self.repeats >= 1):
            raise InputError(f"Candidate: repeats = {self.repeats!r} is not a whole number from 1.")
        if self.cost is not None and not 0 < self.cost < math.inf:
            raise InputError(
                f"Candidate: cost = {self.cost!r} is not positive.",
                remedy="None where it does not matter.",
            )
        known = [
            *LAUNCH,
            *(
                f.name
                for item in self.instruments
                if not isinstance(item, ImpactTable)
                for f in dataclasses.fields(item)
            ),
        ]
        for name, bounds in self.vary.items():
            if name not in known or self.table is not None:
                raise InputError(
                    f"Candidate: vary names {name!r}, which is no variable of "
                    f"it.{nearest(name, known)}"
                )
            if not (
                len(bounds) == 2 and math.isfinite(bounds[0]) and bounds[0] < bounds[1] < math.inf
            ):
                raise InputError(
                    f"Candidate: the bounds {bounds!r} of {name!r} are not two numbers, low "
                    "before high."
                )
        if not self.name:
            object.__setattr__(self, "name", self.described())

    @property
    def table(self) -> ImpactTable | None:
        """The impact table, where it is one."""
        only = self.instruments[0]
        return only if len(self.instruments) == 1 and isinstance(only, ImpactTable) else None

    @property
    def total_cost(self) -> float | None:
        """Of all repeats."""
        return None if self.cost is None else self.cost * self.repeats

    def described(self) -> str:
        """``a drop from 0.8 m filmed at 1000 pictures/s``."""
        times = "" if self.repeats == 1 else f", {self.repeats} times"
        if self.table is not None:
            return f"a table of {len(self.table)} impacts{times}"
        turning = f" with a spin of {self.spin:.3g} rad/s" if self.spin else ""
        if self.speed == 0:
            motion = f"a drop from {self.height:.3g} m{turning}"
        else:
            motion = (
                f"a launch at {self.speed:.3g} m/s, {self.angle:.3g} deg from the horizontal, "
                f"{self.height:.3g} m high{turning}"
            )
        return f"{motion} {' and '.join(map(str, self.instruments))}{times}"

    def start(self, scene: jc.Scene, variables: Mapping[str, Any] | None = None) -> jc.State:
        """State at the start; ``variables`` replace those of the motion."""
        height, speed, angle, spin = (
            (variables or {}).get(name, getattr(self, name))
            for name in ("height", "speed", "angle", "spin")
        )
        radians = jnp.deg2rad(angle)
        zero = jnp.zeros(())
        return jc.State(
            jnp.stack([zero, zero, height + height_at_impact(scene) + zero]),
            jnp.stack([speed * jnp.cos(radians), zero, speed * jnp.sin(radians)]),
            jnp.stack([zero, spin + zero, zero]),
        )

    def at(self, variables: Mapping[str, float]) -> "Candidate":
        """The candidate with values of design variables."""
        own: dict[str, Any] = {
            name: float(value) for name, value in variables.items() if name in LAUNCH
        }
        instruments = tuple(
            dataclasses.replace(
                item,
                **{
                    name: float(value)
                    for name, value in variables.items()
                    if name in {f.name for f in dataclasses.fields(item)}
                },
            )
            for item in self.instruments
        )
        name = "" if self.name == self.described() else self.name
        return dataclasses.replace(self, instruments=instruments, name=name, **own)
