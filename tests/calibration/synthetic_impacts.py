"""Made-up tables of impacts, with a textbook model that shares nothing with this library, for the
tests of what follows a fit.
"""

import dataclasses

import numpy as np

import jaxcontact as jc
from calibration.io.impact_table import ImpactTable

FRICTION, RESTITUTION = "contact.friction.coefficient", "contact.normal.restitution"
ANGLES = np.linspace(20.0, 70.0, 16)
SIGMA = {"rebound_angle": 1.5, "rebound_speed": 0.05}


def scene(friction: float = 0.25, restitution: float = 0.8) -> jc.Scene:
    """A ball and a plane that rub."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=restitution),
        friction=jc.Coulomb(coefficient=friction),
    )
    return jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)


def closed_form(
    friction: float, restitution: float, angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rebound angle [deg] and speed of a solid sphere at 2 m/s that slides all through the impact
    or rolls: textbook.
    """
    radians = np.deg2rad(angles)
    along, down = 2 * np.sin(radians), 2 * np.cos(radians)
    after = np.maximum(along - friction * (1 + restitution) * down, along * 5 / 7)
    return np.rad2deg(np.arctan2(after, restitution * down)), np.hypot(after, restitution * down)


def table(*, angles: np.ndarray = ANGLES, seed: int = 0, noise: float = 1.0) -> ImpactTable:
    """Made-up impacts with known noise; ``noise``: true over stated deviation."""
    rng = np.random.default_rng(seed)
    angle, speed = closed_form(0.25, 0.8, angles)
    return ImpactTable(
        name="made up",
        impact_angle=angles,
        impact_speed=np.full(angles.size, 2.0),
        spin_before=np.zeros(angles.size),
        rebound_angle=angle + noise * SIGMA["rebound_angle"] * rng.standard_normal(angles.size),
        rebound_speed=speed + noise * SIGMA["rebound_speed"] * rng.standard_normal(angles.size),
        sigma={name: np.full(angles.size, value) for name, value in SIGMA.items()},
    )


def whitened(friction: float, restitution: float, data: ImpactTable) -> np.ndarray:
    """Residuals in standard deviations, without this library."""
    angle, speed = closed_form(friction, restitution, data.impact_angle)
    return np.concatenate(
        [
            (angle - data.rebound_angle) / SIGMA["rebound_angle"],
            (speed - data.rebound_speed) / SIGMA["rebound_speed"],
        ]
    )


DATA = table(seed=1)
ANGLE_ALONE = dataclasses.replace(table(seed=2, noise=0.5), rebound_speed=np.empty(0))
