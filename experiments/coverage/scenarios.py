"""What is measured, with which errors, and what the fit assumes of them."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import calibration as cal
import jaxcontact as jc
from experiments.coverage.errors import Autoregressive, Contaminated, Gaussian
from experiments.coverage.truth import (
    MASS,
    RADIUS,
    bounce_times,
    contact_force,
    contact_height,
    drop_height,
    oblique_impacts,
)

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
STIFFNESS, TANGENTIAL = "contact.normal.stiffness", "contact.friction.tangential_restitution"


@dataclasses.dataclass(frozen=True, eq=False)
class Scenario:
    """One row of the table.

    Attributes:
        instrument: what measures.
        errors: what is added to the truth.
        noise: what the fit assumes; ``stated`` whether the standard deviation is given with the
            data.
        truth: of each parameter of interest.
        problem: of the errors of one recording (a random generator), the problem to be fitted.
    """

    instrument: str
    errors: Any
    noise: Any
    stated: bool
    truth: dict[str, float]
    problem: Callable[["Scenario", np.random.Generator], cal.Problem]

    @property
    def name(self) -> str:
        """For tables."""
        said = (
            "nothing said"
            if self.noise is None
            else repr(self.noise).replace("estimated=None", "").replace("time=None", "")
        )
        said = said.replace(", )", ")").replace("(, ", "(")
        stated = ", sigma stated" if self.stated else ""
        return f"{self.instrument}; {self.errors.name}; {said}{stated}"


def _rigid(restitution: float, friction: Any = None) -> jc.Scene:
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=restitution), friction=friction or jc.NoFriction()
    )
    return jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact)


def _camera(
    rate: float, duration: float, height: float, sigma: float
) -> Callable[[Scenario, np.random.Generator], cal.Problem]:
    times = np.arange(0.0, duration, 1 / rate)
    clean = drop_height(times, height=height, restitution=0.8) + RADIUS

    def filmed(z: np.ndarray, stated: bool) -> cal.Recording:
        nothing = np.full_like(z, np.nan)
        deviation = np.full((times.size, 3), sigma) if stated else None
        return cal.Recording(
            name="drop",
            time=times,
            position=np.stack([nothing, nothing, z], axis=-1),
            sigma=deviation,
        )

    @functools.cache
    def once() -> Any:
        return cal.detection.read_bounces(
            filmed(clean + sigma * np.random.default_rng(0).standard_normal(times.size), True),
            radius=RADIUS,
        )

    def problem(scenario: Scenario, rng: np.random.Generator) -> cal.Problem:
        z = clean + sigma * scenario.errors.draw(rng, times.size)
        # Where the noise is stated, the automatic reading only gives a first guess: one serves for
        # all. It also sets outliers aside, which here are left to the noise model.
        measured = cal.measurements.TrackedPositions(
            filmed(z, scenario.stated), once() if scenario.stated else None
        )
        return cal.Problem(
            _rigid(0.75),
            [cal.Trial(measured)],
            free=[RESTITUTION],
            nuisance=[
                cal.nuisances.InitialState(),
                cal.nuisances.SurfaceHeight(),
                cal.nuisances.LengthScale(),
            ],
            noise=scenario.noise,
            method=jc.Impulse(max_contacts=8, rest_steps=1, skip_unused=False),
        )

    return problem


def _sounds(count: int, sigma: float) -> Callable[[Scenario, np.random.Generator], cal.Problem]:
    clean = bounce_times(count, height=0.5, restitution=0.8)

    def problem(scenario: Scenario, rng: np.random.Generator) -> cal.Problem:
        times = clean + sigma * scenario.errors.draw(rng, count)
        measured = cal.measurements.BounceTimes(
            times, sigma=sigma if scenario.stated else None, impacts=np.arange(1, count + 1)
        )
        return cal.Problem(
            _rigid(0.75),
            [measured],
            free=[RESTITUTION],
            nuisance=[cal.nuisances.FirstImpact()],
            noise=scenario.noise,
            method=jc.Impulse(max_contacts=count + 2, rest_steps=1, skip_unused=False),
        )

    return problem


ANGLES = np.linspace(5.0, 75.0, 15)
TABLE_SIGMA = {"rebound_angle": 1.0, "spin_after": 4.0, "normal_restitution": 0.01}


def _table(scenario: Scenario, rng: np.random.Generator) -> cal.Problem:
    speed = np.full_like(ANGLES, 3.0)
    clean = oblique_impacts(ANGLES, speed, restitution=0.8, friction=0.2, tangential=0.4)
    measured = {
        name: clean[name] + TABLE_SIGMA[name] * scenario.errors.draw(rng, ANGLES.size)
        for name in TABLE_SIGMA
    }
    sigma = (
        {name: np.full_like(ANGLES, value) for name, value in TABLE_SIGMA.items()}
        if scenario.stated
        else {}
    )
    table = cal.ImpactTable(
        name="impacts", impact_angle=ANGLES, impact_speed=speed, sigma=sigma, **measured
    )
    scene = _rigid(0.75, jc.Coulomb(coefficient=0.25, tangential_restitution=0.3))
    return cal.Problem(
        scene, [table], free=[RESTITUTION, FRICTION, TANGENTIAL], noise=scenario.noise
    )


def _force(sigma: float) -> Callable[[Scenario, np.random.Generator], cal.Problem]:
    times = np.arange(-2e-4, 2.0e-3, 2e-5) + 7e-6
    clean = contact_force(times, stiffness=3e6, restitution=0.7, speed=1.0)
    start = jc.state(position=(0, 0, RADIUS), velocity=(0, 0, -1.0))
    law = jc.HuntCrossley(stiffness=2e6, restitution=0.8)

    def problem(scenario: Scenario, rng: np.random.Generator) -> cal.Problem:
        trace = cal.measurements.ForceTrace(
            times,
            clean + sigma * scenario.errors.draw(rng, times.size),
            sigma=sigma if scenario.stated else None,
        )
        return cal.Problem(
            jc.Scene(
                bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=jc.ContactModel(normal=law)
            ),
            [cal.Trial(trace, initial=start, time=0.0)],
            free=[STIFFNESS, RESTITUTION],
            nuisance=[cal.nuisances.ClockOffset("force sensor")],
            noise=scenario.noise,
            method=jc.EventAligned(max_contacts=2),
        )

    return problem


def _slow_motion(
    rate: float, sigma: float
) -> Callable[[Scenario, np.random.Generator], cal.Problem]:
    """A camera so fast that frames lie within the contact of a soft ball."""
    times, touch_down, speed = np.arange(0.0, 0.045, 1 / rate), 0.0201, 1.0
    clean = (
        contact_height(
            times - touch_down,
            stiffness=SOFT[STIFFNESS],
            restitution=SOFT[RESTITUTION],
            speed=speed,
        )
        + RADIUS
    )
    start = jc.state(position=(0, 0, clean[0]), velocity=(0, 0, -(speed - 9.81 * touch_down)))
    law = jc.HuntCrossley(stiffness=1.5e5, restitution=0.8)

    def filmed(z: np.ndarray) -> cal.Recording:
        nothing = np.full_like(z, np.nan)
        deviation = np.full((times.size, 3), sigma)
        return cal.Recording(
            name="impact",
            time=times,
            position=np.stack([nothing, nothing, z], axis=-1),
            sigma=deviation,
        )

    @functools.cache
    def once() -> Any:
        return cal.detection.read_bounces(filmed(clean), radius=RADIUS)

    def problem(scenario: Scenario, rng: np.random.Generator) -> cal.Problem:
        measured = cal.measurements.TrackedPositions(
            filmed(clean + sigma * scenario.errors.draw(rng, times.size)), once()
        )
        return cal.Problem(
            jc.Scene(
                bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=jc.ContactModel(normal=law)
            ),
            [cal.Trial(measured, initial=start, time=0.0)],
            free=[STIFFNESS, RESTITUTION],
            nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
            noise=scenario.noise,
            method=jc.EventAligned(max_contacts=2),
        )

    return problem


SOFT = {STIFFNESS: 1e5, RESTITUTION: 0.7}
FORCE = {STIFFNESS: 3e6, RESTITUTION: 0.7}
ORDINARY, FAST = _camera(120.0, 1.2, 0.5, 1e-3), _camera(1000.0, 0.45, 0.05, 1e-4)
SLOW_MOTION = _slow_motion(5000.0, 5e-5)
DROP = {RESTITUTION: 0.8, "length_scale": 1.0}
SOUND = {RESTITUTION: 0.8}
TABLE = {RESTITUTION: 0.8, FRICTION: 0.2, TANGENTIAL: 0.4}

SCENARIOS = (
    Scenario("camera, 120 fps", Gaussian(), None, True, DROP, ORDINARY),
    Scenario("camera, 120 fps", Gaussian(), None, False, DROP, ORDINARY),
    Scenario("camera, 120 fps", Gaussian(), cal.noise.Estimated(), True, DROP, ORDINARY),
    Scenario("camera, 120 fps", Autoregressive(3.0), None, True, DROP, ORDINARY),
    Scenario("camera, 120 fps", Autoregressive(3.0), cal.noise.Correlated(), True, DROP, ORDINARY),
    Scenario("camera, 120 fps", Autoregressive(3.0), cal.noise.Known(), True, DROP, ORDINARY),
    Scenario("camera, 120 fps", Contaminated(), cal.noise.StudentT(4.0), True, DROP, ORDINARY),
    Scenario("camera, 120 fps", Contaminated(), cal.noise.Huber(), True, DROP, ORDINARY),
    Scenario("camera, 1000 fps", Gaussian(), None, True, DROP, FAST),
    Scenario("camera, 1000 fps", Autoregressive(10.0), cal.noise.Correlated(), True, DROP, FAST),
    Scenario("camera, 1000 fps", Contaminated(), cal.noise.StudentT(4.0), True, DROP, FAST),
    Scenario("camera, 5000 fps, soft ball", Gaussian(), None, True, SOFT, SLOW_MOTION),
    Scenario(
        "camera, 5000 fps, soft ball",
        Autoregressive(3.0),
        cal.noise.Correlated(),
        True,
        SOFT,
        SLOW_MOTION,
    ),
    Scenario(
        "camera, 5000 fps, soft ball",
        Contaminated(),
        cal.noise.StudentT(4.0),
        True,
        SOFT,
        SLOW_MOTION,
    ),
    Scenario("bounce times", Gaussian(), None, True, SOUND, _sounds(9, 2e-4)),
    Scenario("bounce times", Gaussian(), cal.noise.Estimated(), True, SOUND, _sounds(9, 2e-4)),
    Scenario("bounce times", Gaussian(), None, False, SOUND, _sounds(9, 2e-4)),
    Scenario("bounce times", Contaminated(), cal.noise.Known(), True, SOUND, _sounds(16, 2e-4)),
    Scenario(
        "bounce times", Contaminated(), cal.noise.StudentT(4.0), True, SOUND, _sounds(16, 2e-4)
    ),
    Scenario("bounce times", Contaminated(), cal.noise.Huber(), True, SOUND, _sounds(16, 2e-4)),
    Scenario("impact table", Gaussian(), None, True, TABLE, _table),
    Scenario("impact table", Gaussian(), cal.noise.Estimated(), True, TABLE, _table),
    Scenario("impact table", Gaussian(), None, False, TABLE, _table),
    Scenario("impact table", Contaminated(), cal.noise.StudentT(4.0), True, TABLE, _table),
    Scenario("impact table", Contaminated(), cal.noise.Huber(), True, TABLE, _table),
    Scenario("impact table", Contaminated(), cal.noise.Known(), True, TABLE, _table),
    Scenario("force trace", Gaussian(), None, True, FORCE, _force(1.0)),
    Scenario("force trace", Autoregressive(2.0), cal.noise.Correlated(), True, FORCE, _force(1.0)),
    Scenario("force trace", Autoregressive(2.0), None, True, FORCE, _force(1.0)),
    Scenario("force trace", Autoregressive(2.0), cal.noise.Known(), True, FORCE, _force(1.0)),
    Scenario("force trace", Contaminated(), cal.noise.StudentT(4.0), True, FORCE, _force(1.0)),
    Scenario("force trace", Contaminated(), cal.noise.Huber(), True, FORCE, _force(1.0)),
    Scenario("force trace", Contaminated(), None, True, FORCE, _force(1.0)),
)
