"""A recording of a bounce that was never filmed, for planning an experiment and for trying a fit
whose truth is known.
"""

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import jaxcontact as jc
from calibration.errors import InputError
from calibration.io.atomic import write_atomically
from calibration.studies.study import Ball
from jaxcontact.simulation.core.status import succeeded

Vector = tuple[float, float, float]
MARK = "# simulated by jaxcontact"
MOST_SAMPLES = 1_000_000


@dataclass(frozen=True, kw_only=True)
class SyntheticRecording:
    """Samples of a simulated motion and its contacts.

    Attributes:
        time: (n,) [s].
        position: (n, 3) of the centre, with the noise of the camera [m].
        touch_down, lift_off: (contacts,) [s].
        impact_speed, rebound_speed: (contacts,) along the normal [m/s].
        advice: how the simulation ended.
        complete: whether the motion was followed up to the last sample.
    """

    time: NDArray[np.float64]
    position: NDArray[np.float64]
    touch_down: NDArray[np.float64]
    lift_off: NDArray[np.float64]
    impact_speed: NDArray[np.float64]
    rebound_speed: NDArray[np.float64]
    advice: str
    complete: bool


def scene_of(
    ball: Ball,
    *,
    restitution: float,
    friction: float,
    drag: float,
    stiffness: float | None,
    gravity: float,
    fluid_density: float,
) -> jc.Scene:
    """A ball above a horizontal surface at height 0; rigid without a ``stiffness`` [N/m^1.5].

    Raises:
        InputError: a value that is not allowed.
    """
    try:
        if stiffness is None:
            contact = jc.ContactModel(
                normal=jc.NewtonRestitution(restitution=restitution),
                friction=jc.Coulomb(coefficient=friction),
            )
        else:
            normal = jc.HuntCrossley(stiffness=stiffness, restitution=restitution)
            contact = jc.ContactModel(
                normal=normal, friction=jc.RegularizedCoulomb(coefficient=friction)
            )
        return jc.Scene(
            bodies=jc.spheres(radius=ball.radius, mass=ball.mass, shell=ball.shell),
            contact=contact,
            gravity=(0.0, 0.0, -gravity),
            drag=jc.QuadraticDrag(coefficient=drag, fluid_density=fluid_density) if drag else None,
        )
    except ValueError as error:
        raise InputError(str(error).rstrip(".")) from None


def start_of(*, position: Vector, velocity: Vector, spin: Vector) -> jc.State:
    """State at time 0: centre [m], velocity [m/s], spin [rad/s].

    Raises:
        InputError: a number that is not finite.
    """
    try:
        return jc.state(position=position, velocity=velocity, spin=spin)
    except ValueError as error:
        raise InputError(str(error).rstrip(".")) from None


def simulate_recording(
    scene: jc.Scene, start: jc.State, *, duration: float, rate: float, noise: float, seed: int
) -> SyntheticRecording:
    """Simulate and record with a camera.

    Args:
        scene: what bounces on what.
        start: state at time 0.
        duration: of the recording [s].
        rate: samples per second.
        noise: standard deviation of each coordinate [m].
        seed: of the noise.

    Raises:
        InputError: a duration or rate that is not positive, or asks for more than a million
            samples; the ball begins in the surface.
    """
    _check_camera(duration, rate, noise)
    gap = float(scene.surfaces[0].gap(start.position, scene.bodies.radius))
    if gap < 0:
        radius = float(scene.bodies.radius)
        raise InputError(
            f"the ball begins {-gap:g} m inside the surface, which is at z = 0",
            remedy="The position is that of the centre: give a z of at least the radius, "
            f"{radius:g} m.",
        )
    time = np.arange(int(duration * rate * (1 + 1e-12)) + 1) / rate
    rigid = isinstance(scene.contact.normal, jc.NewtonRestitution)
    method = jc.Impulse() if rigid else jc.EventAligned()
    result = jc.simulate(scene, start, time, method=method, strict=False)
    status = jc.Status(int(result.status))
    contacts, position = result.contacts, np.asarray(result.position)
    assert contacts is not None  # both methods record them
    happened = np.asarray(contacts.happened)
    noisy = position + noise * np.random.default_rng(seed).standard_normal(position.shape)
    return SyntheticRecording(
        time=time,
        position=noisy,
        touch_down=np.asarray(contacts.touch_down)[happened],
        lift_off=np.asarray(contacts.lift_off)[happened],
        impact_speed=np.asarray(contacts.impact_speed)[happened],
        rebound_speed=np.asarray(contacts.rebound_speed)[happened],
        advice=status.advice,
        complete=bool(succeeded(status)),
    )


def _check_camera(duration: float, rate: float, noise: float) -> None:
    for name, value in (("duration", duration), ("rate", rate)):
        if not (np.isfinite(value) and value > 0):
            raise InputError(
                f"{name} = {value:g} is not a positive number",
                remedy="Durations are in s, rates in samples per second.",
            )
    if not (np.isfinite(noise) and noise >= 0):
        raise InputError(
            f"noise = {noise:g} is not a standard deviation", remedy="Give it in m; 0 for none."
        )
    if duration * rate > MOST_SAMPLES:
        remedy = "Give a shorter duration or a lower rate."
        raise InputError(
            f"duration = {duration:g} s at {rate:g} samples per second makes more than a "
            "million samples",
            remedy=remedy,
        )


def write_recording(recording: SyntheticRecording, path: str | os.PathLike[str]) -> None:
    """Write t, x, y, z [s, m] as CSV that `calibration.read_trajectory` reads back; as a whole or
    not at all, into an existing folder.
    """
    rows = np.column_stack([recording.time, recording.position])
    lines = "\n".join(",".join(f"{value:.9f}" for value in row) for row in rows)
    write_atomically(path, f"{MARK}\nt,x,y,z\n{lines}\n".encode())
