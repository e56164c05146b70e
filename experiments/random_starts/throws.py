"""Made-up recordings of a spinning ball thrown onto a plane, for several pairs of materials."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

import calibration as cal
import jaxcontact as jc

UNKNOWNS = (
    "contact.normal.stiffness",
    "contact.normal.restitution",
    "contact.friction.coefficient",
)
RADIUS, MASS = 0.02, 0.03  # m, kg
NOISE = 2e-4  # m
TIMES = np.arange(0.0, 0.9, 1 / 500)  # s
LAUNCHES = ((0.25, 1.5, -0.5, 60.0), (0.2, 2.5, -1.0, -80.0))
"""Height of the lowest point [m], horizontal and vertical velocity [m/s], spin [rad/s], positive
when rolling forward.
"""


@dataclasses.dataclass(frozen=True)
class Truth:
    """True parameters: stiffness [N/m^1.5], restitution, friction coefficient."""

    name: str
    stiffness: float
    restitution: float
    friction: float

    @property
    def values(self) -> tuple[float, float, float]:
        """In the order of ``UNKNOWNS``."""
        return self.stiffness, self.restitution, self.friction


TRUTHS = (
    Truth("lively, slippery", 1e6, 0.85, 0.1),
    Truth("middling", 3e5, 0.6, 0.25),
    Truth("dull", 3e6, 0.3, 0.15),
    Truth("soft, rough", 1e5, 0.75, 0.4),
)


def scene(stiffness: float, restitution: float, friction: float) -> jc.Scene:
    """A ball on a plane."""
    normal = jc.HuntCrossley(stiffness=stiffness, restitution=restitution)
    tangential = jc.RegularizedCoulomb(coefficient=friction, slip_velocity=0.02)
    return jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(normal=normal, friction=tangential),
    )


def launched(height: float, along: float, up: float, spin: float) -> jc.State:
    """The state at the first picture."""
    return jc.state(
        position=[0.0, 0.0, RADIUS + height], velocity=[along, 0.0, up], spin=[0.0, spin, 0.0]
    )


METHOD = jc.EventAligned(
    max_contacts=12, contact_steps=8, at_once=True, level=True, skip_unused=False, rest_steps=8
)
ACCURATE = jc.EventAligned(max_contacts=40, contact_steps=16, level=True)


def recordings(truth: Truth, *, seed: int) -> list[cal.Trial]:
    """One recording of each launch, with white noise, its initial state known."""
    rng, made = np.random.default_rng(seed), []
    for index, launch in enumerate(LAUNCHES):
        motion = jax.jit(
            lambda start: jc.simulate(
                scene(*truth.values), start, jnp.asarray(TIMES), method=ACCURATE
            )
        )
        position = np.array(motion(launched(*launch)).position)
        position += NOISE * rng.standard_normal(position.shape)
        position[:, 1] = np.nan
        sigma = np.where(np.isnan(position), np.nan, NOISE)
        made.append(
            cal.Trial(
                cal.Recording(name=f"throw {index}", time=TIMES, position=position, sigma=sigma),
                initial=launched(*launch),
                time=0.0,
            )
        )
    return made


def problem(truth: Truth, *, seed: int = 0) -> cal.Problem:
    """What is to be fitted; the scene has middling values, not the true ones."""
    return cal.Problem(
        scene(1e6, 0.7, 0.2), recordings(truth, seed=seed), free=UNKNOWNS, method=METHOD
    )
