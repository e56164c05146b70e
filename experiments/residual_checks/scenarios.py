"""Filmed drops and tables of impacts of known truth, with errors as the fit assumes them, and
others.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

import calibration as cal
import jaxcontact as jc
from experiments.coverage.errors import Autoregressive, Contaminated, Gaussian
from experiments.coverage.truth import GRAVITY, MASS, RADIUS, drop_height

RESTITUTION = "contact.normal.restitution"
SIGMA, HEIGHT = 5e-4, 0.4
TIMES = np.arange(0.0, 1.2, 0.01)
IMPACTS = np.geomspace(0.3, 4.0, 25)

Errors = Callable[[np.random.Generator], np.ndarray]
"""Errors of one drop or table, in standard deviations."""


@dataclasses.dataclass(frozen=True)
class Scenario:
    """What is measured.

    Attributes:
        name: of the scenario.
        right: whether the fit assumes what is true.
        problem: to be fitted, drawn anew.
    """

    name: str
    right: bool
    problem: Callable[[np.random.Generator], cal.Problem]


def scene() -> jc.Scene:
    """A ball that bounces with one restitution."""
    contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.75))
    return jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact)


def filmed(name: str, errors: np.ndarray, *, restitution: float = 0.8) -> cal.Trial:
    """A drop filmed with 100 frames a second."""
    clean = drop_height(TIMES, height=HEIGHT, restitution=restitution) + RADIUS
    nothing = np.full_like(clean, np.nan)

    def recording(z: np.ndarray) -> cal.Recording:
        position = np.stack([nothing, nothing, z], axis=-1)
        sigma = np.full((TIMES.size, 3), SIGMA)
        return cal.Recording(name=name, time=TIMES, position=position, sigma=sigma)

    # Outliers are left to the checks: the bounces are read from a clean film.
    read = cal.detection.read_bounces(recording(clean), radius=RADIUS)
    return cal.Trial(cal.measurements.TrackedPositions(recording(clean + SIGMA * errors), read))


def drops(count: int, errors: Errors, *, odd: float = 0.8) -> Callable[..., cal.Problem]:
    """Drops of one ball; the last of another restitution."""

    def problem(rng: np.random.Generator) -> cal.Problem:
        values = [*[0.8] * (count - 1), odd]
        trials = [
            filmed(f"drop {i}", errors(rng), restitution=value) for i, value in enumerate(values)
        ]
        return cal.Problem(
            scene(),
            trials,
            free=[RESTITUTION],
            nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
            method=jc.Impulse(max_contacts=8, rest_steps=1, skip_unused=False),
        )

    return problem


def table(errors: Errors, *, exponent: float = 0.0) -> Callable[..., cal.Problem]:
    """Impacts between 0.3 and 4 m/s, measured to 0.01; the restitution falls as a power."""

    def problem(rng: np.random.Generator) -> cal.Problem:
        measured = 0.7 * IMPACTS**-exponent + 0.01 * errors(rng)
        impacts = cal.ImpactTable(
            name="impacts",
            impact_angle=np.zeros(IMPACTS.size),
            impact_speed=IMPACTS,
            normal_restitution=measured,
            sigma={"normal_restitution": np.full(IMPACTS.size, 0.01)},
        )
        return cal.Problem(scene(), [impacts], free=[RESTITUTION])

    return problem


def of_film(kind: Gaussian | Autoregressive | Contaminated) -> Errors:
    """Errors of one kind, for a film."""
    return lambda rng: kind.draw(rng, TIMES.size)


def of_table(kind: Gaussian | Contaminated) -> Errors:
    """Errors of one kind, for a table."""
    return lambda rng: kind.draw(rng, IMPACTS.size)


def blurred(rng: np.random.Generator) -> np.ndarray:
    """Errors of a film that grow with the speed, threefold from rest to the first impact."""
    height = drop_height(TIMES, height=HEIGHT, restitution=0.8)
    speed = np.abs(np.gradient(height, TIMES)) / np.sqrt(2 * GRAVITY * HEIGHT)
    return (0.5 + speed) * rng.standard_normal(TIMES.size)


SCENARIOS = (
    Scenario("one drop", True, drops(1, of_film(Gaussian()))),
    Scenario("six drops", True, drops(6, of_film(Gaussian()))),
    Scenario("table of 25 impacts", True, table(of_table(Gaussian()))),
    Scenario("one drop, noise of 1.5 frames", False, drops(1, of_film(Autoregressive(1.5)))),
    Scenario("one drop, 3 % outliers", False, drops(1, of_film(Contaminated(0.03, 8.0)))),
    Scenario("one drop, noise grows with speed", False, drops(1, blurred)),
    Scenario("six drops, one of e 0.797", False, drops(6, of_film(Gaussian()), odd=0.797)),
    Scenario("table, e falls as v^-0.03", False, table(of_table(Gaussian()), exponent=0.03)),
    Scenario("table, 5 % outliers", False, table(of_table(Contaminated(0.05, 8.0)))),
)
"""What is measured."""
