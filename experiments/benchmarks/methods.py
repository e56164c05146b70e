"""Every optimiser of ``cal.fit`` on five problems: does it arrive where Levenberg-Marquardt does?

``python -m experiments.benchmarks.methods`` prints a table: chi2/dof, the largest distance of a
parameter from that of Levenberg-Marquardt in standard deviations, steps, and seconds of a second
fit, whose code is compiled.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import calibration as cal
import jaxcontact as jc
from calibration.optimise.least_squares import METHODS
from calibration.results.result import Fit

DATA = Path(__file__).parents[1] / "data" / "known_truth"
RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"


def ball() -> jc.Spheres:
    """A table-tennis ball."""
    return jc.spheres(radius=0.02, mass=0.0027, shell=True)


def rigid(*, friction: float | None = None, restitution: float = 0.8) -> jc.ContactModel:
    """Rigid impacts, of starting values."""
    law = jc.NoFriction() if friction is None else jc.Coulomb(coefficient=friction)
    return jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=restitution),
        friction=law,
    )


def make_throws() -> cal.Problem:
    """The problem of the README."""
    drag = jc.QuadraticDrag(coefficient=0.47)
    return cal.Problem(
        jc.Scene(bodies=ball(), contact=rigid(friction=0.2), drag=drag),
        cal.read_recordings(str(DATA / "throw_*.csv")),
        free=[RESTITUTION, FRICTION, "drag.coefficient"],
        nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
    )


def make_drops() -> cal.Problem:
    """Drops without spin."""
    drag = jc.QuadraticDrag(coefficient=0.47)
    return cal.Problem(
        jc.Scene(bodies=ball(), contact=rigid(), drag=drag),
        cal.read_recordings(str(DATA / "drop_*.csv")),
        free=[RESTITUTION, "drag.coefficient"],
        nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
    )


def make_force_trace() -> cal.Problem:
    """The force of one contact, whose beginning and speed are unknown."""
    law = jc.HuntCrossley(stiffness=1e6, restitution=0.8)
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law))
    times = np.linspace(0.0, 4e-3, 41)
    motion = jc.simulate(
        scene, jc.state(position=(0.0, 0.0, 0.02), velocity=(0.0, 0.0, -1.5)), times
    )
    overlap, rate = 0.02 - np.asarray(motion.position)[:, 2], -np.asarray(motion.velocity)[:, 2]
    force = law.force(np.maximum(overlap, 0.0), rate, impact_speed=1.5, mass=0.03)
    noise = np.random.default_rng(0).normal(size=times.size)
    measured = cal.measurements.ForceTrace(times, np.asarray(force) + 0.3 * noise, sigma=0.3)
    begun = jc.HuntCrossley(stiffness=6e5, restitution=0.6)
    return cal.Problem(
        scene.replace(contact=jc.ContactModel(normal=begun)),
        [measured],
        free=["contact.normal.stiffness", RESTITUTION],
        nuisance=[cal.nuisances.FirstImpact()],
    )


def make_table() -> cal.Problem:
    """Oblique impacts, of which the steep ones stick."""
    noise = np.random.default_rng(0)
    angles, speed, mu = np.radians(np.repeat(np.arange(10.0, 85.0, 10.0), 3)), 3.0, 0.2
    normal, along = speed * np.cos(angles), speed * np.sin(angles)
    impulse = np.minimum(mu * 1.8 * normal, along * 2 / 7)
    table = cal.ImpactTable(
        name="impacts",
        impact_angle=np.degrees(angles),
        impact_speed=np.full(angles.size, speed),
        rebound_angle=np.degrees(np.arctan2(along - impulse, 0.8 * normal))
        + 0.5 * noise.normal(size=angles.size),
        normal_restitution=0.8 + 0.01 * noise.normal(size=angles.size),
        sigma={
            "rebound_angle": np.full(angles.size, 0.5),
            "normal_restitution": np.full(angles.size, 0.01),
        },
    )
    return cal.Problem(
        jc.Scene(
            bodies=jc.spheres(radius=0.02, mass=0.03), contact=rigid(friction=0.3, restitution=0.6)
        ),
        [table],
        free=[RESTITUTION, FRICTION],
    )


def make_collision() -> cal.Problem:
    """Two spheres that collide, all initial states unknown."""
    times = np.linspace(0.0, 0.12, 61)
    scene = jc.Scene(
        bodies=jc.spheres(radius=np.array([0.02, 0.03]), mass=np.array([0.05, 0.12])),
        surfaces=(),
        gravity=(0.0, 0.0, 0.0),
        contact=rigid(friction=0.08, restitution=0.7),
    )
    start = jc.state(
        position=[(0.0, 0.0, 0.0), (0.12, 0.02, 0.0)],
        velocity=[(1.5, 0.0, 0.0), (-0.5, 0.1, 0.0)],
        spin=[(0.0, 0.0, -60.0), (0.0, 0.0, -10.0)],
    )
    motion = jc.simulate(scene, start, times, method=jc.Impulse())
    noise = np.random.default_rng(0)
    positions = np.asarray(motion.position) + 5e-5 * noise.normal(size=motion.position.shape)
    spins = np.asarray(motion.spin) + 0.05 * noise.normal(size=motion.spin.shape)
    measured = [
        cal.measurements.OfBody(body, instrument)
        for body in (0, 1)
        for instrument in (
            cal.measurements.Path(times, positions[:, body], sigma=5e-5),
            cal.measurements.Spins(times, spins[:, body], sigma=0.05),
        )
    ]
    near = jc.state(position=start.position + 1e-4, velocity=1.01 * start.velocity, spin=start.spin)
    return cal.Problem(
        scene.replace(contact=rigid(friction=0.1, restitution=0.6)),
        [cal.Trial(*measured, initial=near)],
        free=[RESTITUTION, FRICTION],
        nuisance=[cal.nuisances.InitialStates(spin="xyz")],
    )


PROBLEMS: dict[str, Callable[[], cal.Problem]] = {
    "throws": make_throws,
    "drops": make_drops,
    "force trace": make_force_trace,
    "oblique table": make_table,
    "collision": make_collision,
}


def measure_distance(found: Fit, reference: Fit) -> float:
    """Largest difference of a shared parameter, in standard deviations."""
    return max(
        abs(found.parameters[name].value - item.value) / item.sd
        for name, item in reference.parameters.items()
    )


def main() -> None:
    """Print the table."""
    print(f"{'problem':14} {'method':20} {'chi2/dof':>9} {'distance':>9} {'steps':>6} {'s':>7}")
    for name, make in PROBLEMS.items():
        problem = make()
        reference = cal.fit(problem)
        for method in METHODS:
            cal.fit(problem, method=method)
            began = time.perf_counter()
            found = cal.fit(problem, method=method)
            seconds = time.perf_counter() - began
            print(
                f"{name:14} {method:20} {found.chi2 / found.dof:9.4f} "
                f"{measure_distance(found, reference):9.5f} {found.iterations:6d} {seconds:7.2f}"
            )


if __name__ == "__main__":
    main()
