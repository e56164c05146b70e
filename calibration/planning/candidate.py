"""A candidate experiment: how the sphere is let go, what watches it, how often, at what cost."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

import jaxcontact as jc
from calibration.detection.impacts import height_at_impact
from calibration.errors import InputError
from calibration.instruments import Instrument
from calibration.io.impact_table import ImpactTable
from calibration.nuisances.base import Nuisance
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
        nuisance: nuisances of each repeat; by default those of the problem it adds to, and time
            and speed of the first impact where no instrument shows positions. ``()`` for a start
            that is known exactly.
        vary: design variables to be chosen, with their bounds: ``height``, ``speed``, ``angle``,
            ``spin``, ``duration``, or an attribute of an instrument, e.g. ``{"height": (0.1, 2.0),
            "rate": (50.0, 2000.0)}``.
        name: by default from the rest.

    Raises:
        InputError: nothing watches it, a number out of range, a variable that does not exist.

    Example:
        >>> camera = cal.instruments.Film(rate=240.0, sigma=3e-4)
        >>> microphone = cal.instruments.Sound(sigma=1e-4)
        >>> drop = cal.Candidate(instruments=(camera, microphone), height=0.5, duration=0.8)
        >>> drop.name
        'a drop from 0.5 m filmed at 240 pictures/s and with a microphone'
    """

    instruments: tuple[Instrument | ImpactTable, ...]
    height: float = 0.5
    speed: float = 0.0
    angle: float = 0.0
    spin: float = 0.0
    duration: float = 1.0
    repeats: int = 1
    cost: float | None = None
    nuisance: tuple[Nuisance, ...] | None = None
    vary: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        given = self.instruments
        object.__setattr__(
            self, "instruments", tuple(given) if isinstance(given, (tuple, list)) else (given,)
        )
        self._check_instruments()
        self._check_numbers()
        self._check_variables()
        if not self.name:
            object.__setattr__(self, "name", self._describe())

    def _check_instruments(self) -> None:
        if not self.instruments:
            raise InputError(
                "Candidate: nothing watches it.",
                remedy="Give instruments, e.g. (Film(rate=240, sigma=3e-4),).",
            )
        for watching in self.instruments:
            if not isinstance(watching, Instrument | ImpactTable):
                raise InputError(
                    f"Candidate: instruments holds a {type(watching).__name__}, which is neither "
                    "an instrument nor an impact table.",
                    remedy="An instrument says what would be measured: inherit from "
                    "cal.instruments.Instrument and define plan_measurement.",
                )
        has_table = any(isinstance(watching, ImpactTable) for watching in self.instruments)
        if has_table and self.table is None:
            raise InputError(
                "Candidate: an impact table goes with no other instrument.",
                remedy="Make two candidates of them.",
            )

    def _check_numbers(self) -> None:
        numbers = {"height": self.height, "speed": self.speed, "duration": self.duration}
        for name, value in numbers.items():
            if not 0 <= value < math.inf or (name == "duration" and value == 0):
                raise InputError(f"Candidate: {name} = {value!r} is outside its range, at least 0.")
        if not (isinstance(self.repeats, int) and self.repeats >= 1):
            raise InputError(f"Candidate: repeats = {self.repeats!r} is not a whole number from 1.")
        if self.cost is not None and not 0 < self.cost < math.inf:
            raise InputError(
                f"Candidate: cost = {self.cost!r} is not positive.",
                remedy="None where it does not matter.",
            )

    def _check_variables(self) -> None:
        known = list(LAUNCH)
        for instrument in self.watching:
            known += [field.name for field in dataclasses.fields(instrument)]
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

    @property
    def watching(self) -> tuple[Instrument, ...]:
        """The instruments; none where the candidate is an impact table."""
        return tuple(
            instrument for instrument in self.instruments if not isinstance(instrument, ImpactTable)
        )

    @property
    def table(self) -> ImpactTable | None:
        """The impact table where the candidate is one, else ``None``."""
        only = self.instruments[0]
        return only if len(self.instruments) == 1 and isinstance(only, ImpactTable) else None

    @property
    def total_cost(self) -> float | None:
        """The cost of all repeats; ``None`` where it does not matter."""
        return None if self.cost is None else self.cost * self.repeats

    def _describe(self) -> str:
        """The candidate in words: ``a drop from 0.8 m filmed at 1000 pictures/s``."""
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

    def start(
        self, scene: jc.Scene, variables: Mapping[str, jax.Array | float] | None = None
    ) -> jc.State:
        """The state at the start.

        Args:
            scene: with the sphere and the surface.
            variables: (traced) values of design variables, by name, that replace those of the
                motion.
        """
        launch = {
            "height": self.height,
            "speed": self.speed,
            "angle": self.angle,
            "spin": self.spin,
            **(variables or {}),
        }
        height, speed, spin = launch["height"], launch["speed"], launch["spin"]
        radians = jnp.deg2rad(launch["angle"])
        zero = jnp.zeros(())
        return jc.State(
            jnp.stack([zero, zero, height + height_at_impact(scene) + zero]),
            jnp.stack([speed * jnp.cos(radians), zero, speed * jnp.sin(radians)]),
            jnp.stack([zero, spin + zero, zero]),
        )

    def with_variables(self, variables: Mapping[str, float]) -> "Candidate":
        """The candidate with these values of its design variables."""
        numbers = {name: float(value) for name, value in variables.items()}
        launch: dict[str, Any] = {name: numbers[name] for name in LAUNCH if name in numbers}
        instruments = []
        for instrument in self.watching:
            names = {field.name for field in dataclasses.fields(instrument)}
            changed = {name: value for name, value in numbers.items() if name in names}
            instruments.append(dataclasses.replace(instrument, **changed))
        name = "" if self.name == self._describe() else self.name
        return dataclasses.replace(self, instruments=tuple(instruments), name=name, **launch)
