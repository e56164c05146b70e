"""Every measurement and every nuisance of the package keeps the rules that those who write one are
held to.
"""

import functools

import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc

FRICTION = "contact.friction.coefficient"
TIMES = np.arange(120) / 120.0
THROWN = {"position": (0.0, 0.0, 0.4), "velocity": (2.0, 0.0, 0.0), "spin": (0.0, 5.0, 0.0)}
COMPLIANT = jc.HuntCrossley(stiffness=1e6, restitution=0.8)


def scene(normal=None):
    """A ball above a rough plane."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.8) if normal is None else normal,
        friction=jc.RegularizedCoulomb(coefficient=0.05, slip_velocity=1e-3),
        rolling=jc.RollingResistance(rolling_coefficient=0.02, rolling_velocity=1e-3),
    )
    return jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)


@functools.cache
def motion():
    method = jc.Impulse(max_contacts=8)
    return jc.simulate(scene(), jc.state(**THROWN), jnp.asarray(TIMES), method=method)


def film(axes="xz", **changes):
    """Positions with noise of 0.2 mm."""
    noise = np.random.default_rng(1).normal(0.0, 2e-4, (len(TIMES), 3))
    seen = np.asarray(motion().position) + noise
    seen[:, ["xyz".index(axis) for axis in "xyz" if axis not in axes]] = np.nan
    return cal.Recording(name="throw", time=TIMES, position=seen, **changes)


def spins():
    return cal.measurements.Spins(TIMES, motion().spin, sigma=0.1)


def angles():
    angle = np.concatenate([[0.0], np.cumsum(np.diff(TIMES) * np.asarray(motion().spin[:-1, 1]))])
    return cal.measurements.MarkerAngles(TIMES, angle, sigma=0.02)


def orientations():
    half = angles().angle / 2.0
    turned = np.stack([np.cos(half), 0.0 * half, np.sin(half), 0.0 * half], axis=1)
    return cal.measurements.Orientations(TIMES, turned, sigma=0.02)


def sounds():
    return cal.measurements.BounceTimes([0.32, 0.75, 1.05], sigma=1e-4)


def force():
    """The first contact, as a sensor below the plane sees it."""
    times = np.linspace(0.0, 4e-4, 21)
    return cal.measurements.ForceTrace(times, 150.0 * np.sin(np.pi * times / 4e-4) ** 2, sigma=1.0)


START = jc.state(**THROWN)
ONE_OF_SEVERAL = jc.state(**{name: [value] for name, value in THROWN.items()})
IMPACT = [cal.nuisances.FirstImpact()]
MEASUREMENTS = {
    "positions": lambda: (
        cal.measurements.TrackedPositions(film()),
        scene(),
        {"nuisance": [cal.nuisances.InitialState(spin=True)]},
    ),
    "path": lambda: (
        cal.measurements.Path(TIMES, film().position, sigma=2e-4),
        scene(),
        {"initial": START, "free": [FRICTION]},
    ),
    "of body": lambda: (
        cal.measurements.OfBody(0, spins()),
        scene(),
        {
            "initial": jc.state(**{key: [value] for key, value in THROWN.items()}),
            "free": [FRICTION],
        },
    ),
    "spins": lambda: (spins(), scene(), {"initial": START, "free": [FRICTION]}),
    "angles": lambda: (angles(), scene(), {"initial": START, "free": [FRICTION]}),
    "orientations": lambda: (orientations(), scene(), {"initial": START, "free": [FRICTION]}),
    "bounce times": lambda: (sounds(), scene(), {"nuisance": IMPACT}),
    "durations": lambda: (
        cal.measurements.ContactDurations([3e-4, 3.2e-4], sigma=1e-6),
        scene(COMPLIANT),
        {"initial": START, "free": ["contact.normal.stiffness"]},
    ),
    "force": lambda: (
        force(),
        scene(COMPLIANT),
        {"nuisance": IMPACT, "free": ["contact.normal.stiffness"]},
    ),
    "rolling decay": lambda: (
        cal.measurements.RollingDecay(TIMES, speed=0.5 - 0.14 * TIMES, sigma=1e-3),
        scene(),
        {
            "nuisance": [cal.nuisances.RollingSpeed()],
            "free": ["contact.rolling.rolling_coefficient"],
        },
    ),
    "spin decay": lambda: (
        cal.measurements.SpinDecay(TIMES, 20.0 - 2.0 * TIMES, sigma=0.1),
        scene(COMPLIANT).replace(
            contact=jc.ContactModel(normal=COMPLIANT, spinning=jc.SpinningFriction(coefficient=0.1))
        ),
        {
            "nuisance": [cal.nuisances.FirstSpin()],
            "free": ["contact.spinning.coefficient"],
        },
    ),
    "distance": lambda: (
        cal.measurements.RestingDistance(2.0, sigma=0.01, until=6.0),
        scene(),
        {
            "initial": jc.state(position=(0.0, 0.0, 0.02), velocity=(0.9, 0.0, 0.0)),
            "free": ["contact.rolling.rolling_coefficient"],
        },
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", MEASUREMENTS)
def test_a_measurement_of_the_package_keeps_the_rules(name):
    measurement, where, options = MEASUREMENTS[name]()
    cal.testing.check_measurement(measurement, where, **options)
