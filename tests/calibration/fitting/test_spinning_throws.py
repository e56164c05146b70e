"""Throws whose spin nobody measured, however much of it there is."""

import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc

RADIUS, GRAVITY, NOISE = 0.02, 9.81, 5e-4
LEVEL = cal.Normal(0.0, 0.035)
RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"


def throw(speed: float, spin: float, friction: float, seed: int) -> cal.Recording:
    """Of a thin shell without air, by the impulses of rigid impacts: contacts slide until they
    stick.
    """
    times = np.arange(0.0, 1.3, 1 / 240)
    along, height, fast, up, begun = 0.0, 0.45, speed, 0.0, 0.0
    position = np.full((times.size, 3), np.nan)
    while begun < times[-1]:
        flight = (up + np.sqrt(up**2 + 2 * GRAVITY * (height - RADIUS))) / GRAVITY
        since = times - begun
        seen = since >= 0
        position[seen, 0] = along + fast * since[seen]
        position[seen, 2] = height + up * since[seen] - GRAVITY / 2 * since[seen] ** 2
        along, height, begun = along + fast * flight, RADIUS, begun + flight
        fall = GRAVITY * flight - up
        up = 0.8 * fall
        slip = fast - RADIUS * spin
        lost = np.sign(slip) * min(0.4 * abs(slip), friction * 1.8 * fall)
        fast, spin = fast - lost, spin + lost / (2 / 3 * RADIUS)
    position += NOISE * np.random.default_rng(seed).standard_normal(position.shape)
    return cal.Recording(
        name=f"throw {seed}", time=times, position=position, sigma=np.full_like(position, NOISE)
    )


@pytest.mark.parametrize("friction", [0.15, 0.5])
@pytest.mark.parametrize("backspin", [60.0, 150.0, 300.0])
def test_backspin_that_turns_a_throw_back_is_found_from_none(backspin, friction):
    """Where contacts slide no derivative leads to the spin, and from no spin at all to none."""
    launches = ((0.9, -backspin), (1.1, 10.0), (1.7, -0.7 * backspin))
    trials = [
        cal.Trial(throw(speed, spin, friction, seed)) for seed, (speed, spin) in enumerate(launches)
    ]
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=0.0027, shell=True),
        surfaces=[jc.Plane()],
        contact=jc.ContactModel(
            normal=jc.NewtonRestitution(restitution=0.75), friction=jc.Coulomb(coefficient=0.2)
        ),
        gravity=(0.0, 0.0, -GRAVITY),
    )
    found = cal.fit(
        cal.Problem(
            scene,
            trials,
            free=[RESTITUTION, FRICTION],
            nuisance=[
                cal.nuisances.InitialState(spin=True),
                cal.nuisances.SurfaceHeight(),
                cal.nuisances.LengthScale(),
                cal.nuisances.SurfaceTilt("x", prior=LEVEL),
                cal.nuisances.GravityTilt("x", prior=LEVEL),
            ],
            method=jc.Impulse(max_contacts=16),
        )
    )
    assert found.explained
    assert found.parameters[RESTITUTION].value == pytest.approx(0.8, abs=0.004)
