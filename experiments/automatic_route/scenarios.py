"""What is filmed in which way, and which values a fit should find.

Each experiment draws a ball and a camera, then some launches of that ball. What a number means that
is not one number in truth (a restitution that depends on speed) is a range.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping

import numpy as np

from experiments.automatic_route.truth import Ball, Camera, Motion, move

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
DRAG, LIFT = "drag.coefficient", "lift.coefficient"
SLOPE, ROLL, SHUTTER, LENS = "surface_tilt_x", "tilt_x", "line_time", "lens_distortion"

Range = tuple[float, float]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Experiment:
    """Launches of one ball before one camera, and what the experimenter says of them.

    Attributes:
        ball, camera: the truth.
        launches: position [m], velocity [m/s] and spin [rad/s] of each recording.
        until: length of the recordings [s].
        truth: of each parameter, if not that of the ball.
        radius, mass: those that are told, if not those of the ball.
    """

    ball: Ball
    camera: Camera
    launches: tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...] = ()
    until: float = 1.6
    truth: Mapping[str, Range] = dataclasses.field(default_factory=dict)
    radius: float | None = None
    mass: float | None = None

    def motions(self, seed: int) -> list[Motion]:
        """The motion of each launch."""
        return [
            move(self.ball, tuple(x), tuple(v), tuple(spin), until=self.until, seed=seed + k)
            for k, (x, v, spin) in enumerate(self.launches)
        ]

    def expected(self, motions: list[Motion]) -> dict[str, Range]:
        """The range of true values of each parameter that has one."""
        speeds = [speed for motion in motions for _, speed, _ in motion.impacts]
        restitutions = [self.ball.restitution(speed) for speed in speeds] or [math.nan]
        roll = self.camera.roll
        exact = {
            FRICTION: self.ball.friction,
            DRAG: self.ball.drag,
            LIFT: self.ball.lift,
            SLOPE: self.ball.tilt[0] - roll,
            ROLL: roll,
            SHUTTER: self.camera.shutter,
            LENS: self.camera.lens,
        }
        return {
            RESTITUTION: (min(restitutions), max(restitutions)),
            **{name: (value, value) for name, value in exact.items()},
            **self.truth,
        }


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One row of the table.

    Attributes:
        name: for the table.
        draw: an experiment from a random generator.
        judged: parameters whose values are judged wherever they are called determined.
        remedies: words, one of which a warning or the name of an adopted modification holds where
            the fit noticed what is special; empty where nothing is to be noticed.
    """

    name: str
    draw: Callable[[np.random.Generator], Experiment]
    judged: tuple[str, ...] = (RESTITUTION, DRAG, FRICTION)
    remedies: tuple[str, ...] = ()


def _ball(rng: np.random.Generator, **changes: object) -> Ball:
    """A table tennis ball, of random restitution if nothing else is said."""
    value = rng.uniform(0.6, 0.9)
    return dataclasses.replace(Ball(restitution=lambda _: value), **changes)  # type: ignore[arg-type]


def _drops(rng: np.random.Generator, height: float = 0.5, count: int = 2) -> tuple:
    """Balls let go, almost at rest."""
    return tuple(
        (
            np.array([0.0, 0.0, height * (1 + 0.15 * rng.uniform(-1, 1))]),
            np.array([0.0, 0.0, 0.05 * rng.standard_normal()]),
            np.zeros(3),
        )
        for _ in range(count)
    )


def _throws(rng: np.random.Generator, spin: float = 0.0, count: int = 2, depth: float = 0) -> tuple:
    """Balls thrown across the view."""
    return tuple(
        (
            np.array([-0.4, 0.0, 0.5]) * (1 + 0.15 * rng.uniform(-1, 1)),
            np.array([0.8, depth, 0.0]) * (1 + 0.2 * rng.uniform(-1, 1)),
            np.array([0.0, spin * rng.standard_normal(), 0.0]),
        )
        for _ in range(count)
    )


def _either_sign(rng: np.random.Generator, low: float, high: float) -> float:
    """A size in a range, of random sign."""
    return float(rng.choice([-1.0, 1.0]) * rng.uniform(low, high))


def _throw(rng: np.random.Generator, camera: Camera | None = None, **ball: object) -> Experiment:
    return Experiment(ball=_ball(rng, **ball), camera=camera or Camera(), launches=_throws(rng))


def _drop(rng: np.random.Generator, camera: Camera | None = None, **ball: object) -> Experiment:
    return Experiment(ball=_ball(rng, **ball), camera=camera or Camera(), launches=_drops(rng))


def _short_drop(rng: np.random.Generator) -> Experiment:
    drops = _drops(rng, height=0.2, count=1)
    return Experiment(ball=_ball(rng), camera=Camera(), launches=drops, until=0.75)


def _sloping(rng: np.random.Generator) -> Experiment:
    return _throw(rng, tilt=(math.radians(_either_sign(rng, 0.2, 3.0)), 0.0))


def _rolled(rng: np.random.Generator) -> Experiment:
    return _throw(rng, Camera(roll=math.radians(_either_sign(rng, 0.2, 3.0))))


def _spinning(rng: np.random.Generator) -> Experiment:
    return dataclasses.replace(_throw(rng), launches=_throws(rng, spin=50.0))


def _lasting(rng: np.random.Generator) -> Experiment:
    return _drop(rng, duration=rng.uniform(3e-4, 3e-3))


def _powers(rng: np.random.Generator) -> Experiment:
    value, power = rng.uniform(0.7, 0.85), rng.uniform(0.0, 0.06)
    return _throw(rng, restitution=lambda speed: value * speed**-power)


def _linear(rng: np.random.Generator) -> Experiment:
    value, slope = rng.uniform(0.75, 0.9), rng.uniform(0.005, 0.03)
    return _throw(rng, restitution=lambda speed: value - slope * speed)


def _viscoelastic(rng: np.random.Generator) -> Experiment:
    """``1 - a v^(1/5)``, the first term of the viscoelastic sphere."""
    loss = rng.uniform(0.1, 0.2)
    return _throw(rng, restitution=lambda speed: 1 - loss * speed**0.2)


def _plastic(rng: np.random.Generator) -> Experiment:
    """``v^(-1/4)`` above the yield speed, constant below."""
    value, limit = rng.uniform(0.75, 0.9), rng.uniform(1.0, 2.0)
    return _throw(rng, restitution=lambda speed: value * max(speed / limit, 1.0) ** -0.25)


def _scattering(rng: np.random.Generator) -> Experiment:
    experiment = _throw(rng, scatter=rng.uniform(0.005, 0.04))
    return dataclasses.replace(experiment, launches=_throws(rng, count=4))


def _depth(rng: np.random.Generator) -> Experiment:
    """Three per cent nearer or further away in the course of a throw."""
    camera, depth = Camera(distance=2.0), _either_sign(rng, 0.03, 0.06)
    return Experiment(ball=_ball(rng), camera=camera, launches=_throws(rng, depth=depth))


def _inclined(rng: np.random.Generator) -> Camera:
    """A camera at 1.5 m that looks up or down, and from the side, by 2 to 6 degrees."""
    pitch, yaw = (math.radians(_either_sign(rng, 2.0, 6.0)) for _ in range(2))
    return Camera(distance=1.5, pitch=pitch, yaw=yaw)


def _heights(rng: np.random.Generator, camera: Camera) -> Experiment:
    """Drops of which the heights alone are recorded."""
    camera = dataclasses.replace(camera, axes="z", centre=(0.0, 0.5))
    return Experiment(ball=_ball(rng), camera=camera, launches=_drops(rng, height=1.0))


def _lifted(rng: np.random.Generator) -> Experiment:
    return dataclasses.replace(
        _throw(rng, lift=rng.uniform(0.8, 1.2)), launches=_throws(rng, spin=100.0)
    )


def _wrong_radius(rng: np.random.Generator) -> Experiment:
    return dataclasses.replace(_throw(rng), radius=0.02 * float(rng.choice([0.5, 1.3, 2.0])))


def _wrong_mass(rng: np.random.Generator) -> Experiment:
    return dataclasses.replace(_throw(rng), mass=0.0027 * float(rng.choice([0.1, 10.0, 1000.0])))


SCENARIOS = (
    Scenario("drop", _drop),
    Scenario("drop from 0.2 m, two bounces", _short_drop),
    Scenario("throw", _throw),
    Scenario("throw, table slopes 0.2 to 3 degrees", _sloping, (RESTITUTION, SLOPE, ROLL)),
    Scenario("throw, camera rolled 0.2 to 3 degrees", _rolled, (RESTITUTION, SLOPE, ROLL)),
    Scenario("throw with unknown spin", _spinning),
    Scenario("drop, contact of 0.3 to 3 ms", _lasting),
    Scenario("throw, restitution a power of speed", _powers, (RESTITUTION, DRAG)),
    Scenario("throw, restitution scatters 0.5 to 4 %", _scattering),
    Scenario("throw, correlated errors", lambda rng: _throw(rng, Camera(correlation=0.6))),
    Scenario("throw, 2 % outliers", lambda rng: _throw(rng, Camera(outliers=0.02))),
    Scenario("throw, 30 pictures a second", lambda rng: _throw(rng, Camera(rate=30.0))),
    Scenario("throw, 1000 pictures a second", lambda rng: _throw(rng, Camera(rate=1000.0))),
)
"""Truths that the automatic route knows of."""

FAULTS = (
    Scenario(
        "rolling shutter, 5 to 20 ms/m",
        lambda rng: _throw(rng, Camera(shutter=_either_sign(rng, 0.005, 0.02))),
        (RESTITUTION, DRAG, SHUTTER),
        ("rolling shutter",),
    ),
    Scenario(
        "lens, 2 % at the edge",
        lambda rng: _throw(rng, Camera(lens=_either_sign(rng, 0.05, 0.1))),
        (RESTITUTION, DRAG, LENS),
        ("lens",),
    ),
    Scenario(
        "motion in depth, 3 %",
        _depth,
        (RESTITUTION, DRAG),
        ("towards or away", "perspective", "lens"),
    ),
    Scenario(
        "camera inclined by 2 to 6 degrees",
        lambda rng: _throw(rng, _inclined(rng)),
        (RESTITUTION, DRAG),
        ("perspective", "lens"),
    ),
    Scenario(
        "heights of drops, camera inclined by 2 to 6 degrees",
        lambda rng: _heights(rng, _inclined(rng)),
        (RESTITUTION, DRAG),
        ("perspective",),
    ),
    Scenario(
        "heights of drops, lens, 2 % at the edge",
        lambda rng: _heights(rng, Camera(lens=_either_sign(rng, 0.05, 0.1))),
        (RESTITUTION, DRAG),
        ("lens",),
    ),
    Scenario(
        "heights of drops, rolling shutter, 5 to 20 ms/m",
        lambda rng: _heights(rng, Camera(shutter=_either_sign(rng, 0.005, 0.02))),
        (RESTITUTION, DRAG, SHUTTER),
        ("rolling shutter",),
    ),
    Scenario(
        "frame rate stated 240, is 100 or 480",
        lambda rng: _throw(rng, Camera(rate=float(rng.choice([100.0, 480.0])), stated_rate=240.0)),
        remedies=("frame rate",),
    ),
    Scenario(
        "frame rate 5 % off",
        lambda rng: _throw(rng, Camera(rate=240.0, stated_rate=240.0 * rng.choice([0.95, 1.05]))),
        (RESTITUTION,),
        ("scale", "frame rate"),
    ),
    Scenario(
        "centimetres taken for metres",
        lambda rng: _throw(rng, Camera(scale=100.0)),
        remedies=("centimet", "unit", "scale"),
    ),
    Scenario(
        "pictures 3 % too wide",
        lambda rng: _throw(rng, Camera(aspect=1.03)),
        (RESTITUTION, DRAG),
        (),
    ),
    Scenario(
        "exposure of a whole frame",
        lambda rng: _throw(rng, Camera(exposure=1 / 240)),
        remedies=("exposure",),
    ),
    Scenario("restitution falls linearly", _linear, (RESTITUTION, DRAG), ("depends on speed",)),
    Scenario("viscoelastic restitution", _viscoelastic, (RESTITUTION, DRAG), ("depends on speed",)),
    Scenario(
        "restitution falls from a yield speed on",
        _plastic,
        (RESTITUTION, DRAG),
        ("depends on speed",),
    ),
    Scenario("lift by unknown spin", _lifted, remedies=("lift", "spin")),
    Scenario(
        "radius wrong by 0.5, 1.3 or 2",
        _wrong_radius,
        (RESTITUTION, FRICTION),
        ("radius", "diameter", "drag"),
    ),
    Scenario(
        "mass wrong by 0.1, 10 or 1000",
        _wrong_mass,
        (RESTITUTION, FRICTION),
        ("mass", "gram", "drag"),
    ),
    Scenario(
        "soft table, contact of 5 to 10 ms",
        lambda rng: _throw(rng, duration=rng.uniform(5e-3, 1e-2)),
        (RESTITUTION, DRAG),
        ("soft",),
    ),
)
"""What goes wrong at the bench; each with the words that name it."""
