"""Derivative of a toss of a cube through its landing on an edge and what follows.

``python -m experiments.benchmarks.tilted_cube`` prints a table: the sideways position after one
second, its derivative by the first vertical speed, how far that is from differences of the same
simulation, seconds to compile and to run, and the status. Below it stand the figures that were
published for the same toss: a cube of 0.1 m and 100 kg/m^3, turned by 60 degrees about x, from
0.2 m with (0, -0.1, -2) m/s under 2 m/s^2.

The contacts are not those of the published figures (a soft constraint), so neither are the values:
what compares is how far each program's derivative is from that of its own motion, and the time.

Source of the scene and of the published figures: A. Paulus, A. R. Geist, P. Schumacher, V. Musil,
S. Rappenecker, G. Martius, Differentiable Simulation of Hard Contacts with Soft Gradients for
Learning and Control (arXiv 2506.14186); ``experiments/04_time-toss/results/cube_results.csv`` of
the repository martius-lab/diffmjx.
"""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

import jaxcontact as jc

SPEED, STEP = -2.0, 1e-4
"""First vertical speed, and the step of the differences [m/s]."""


class Published(NamedTuple):
    """Of one setting: the derivative, and seconds to compile and to run value and derivative."""

    derivative: float
    compile_s: float
    run_s: float


PUBLISHED = {
    "DiffMJX, Tsit5, tolerance 1e-10": Published(0.172387, 74.4, 55.9),
    "DiffMJX, Tsit5, tolerance 1e-7": Published(0.174882, 66.6, 16.5),
    "DiffMJX, Tsit5, tolerance 1e-5": Published(0.185378, 65.0, 8.33),
    "MJX, Euler, step 1e-4 s": Published(0.132459, 31.5, 31.0),
    "MJX, Euler, step 1e-3 s": Published(3.240441, 31.4, 3.29),
    "MJX, RK4, step 1e-4 s": Published(0.151789, 109.0, 113.7),
}
PUBLISHED_TRUTH = 0.172670
"""What their authors compare with: an adjoint equation, solved backwards at a tolerance of 1e-10;
Tsit5 at a tolerance of 1e-12 gives the same six digits.
"""

RIGID = jc.ContactModel(
    normal=jc.NewtonRestitution(restitution=0.3), friction=jc.Coulomb(coefficient=1.0)
)
COMPLIANT = jc.ContactModel(
    normal=jc.HuntCrossley(stiffness=1e8, restitution=0.3),
    friction=jc.RegularizedCoulomb(coefficient=1.0, slip_velocity=0.1),
)
CASES: dict[str, tuple[jc.ContactModel, jc.EventAligned | jc.Impulse]] = {
    "rigid impacts": (RIGID, jc.Impulse(max_contacts=60)),
    "Hunt and Crossley": (COMPLIANT, jc.EventAligned(max_contacts=60, graded_step=2.5e-3)),
}


def make_toss(
    contact: jc.ContactModel, method: jc.EventAligned | jc.Impulse
) -> Callable[[jax.Array], tuple[jax.Array, jax.Array]]:
    """What gives the sideways position [m] after a second, and the status, of a first vertical
    speed [m/s].
    """
    cube = jc.cube(half_width=0.05, mass=0.1, corner_radius=2e-3)
    scene = jc.Scene(bodies=cube, surfaces=(jc.Plane(),), contact=contact, gravity=(0.0, 0.0, -2.0))
    half_turn = math.radians(60.0) / 2
    times = jnp.array([0.0, 1.0])

    def toss(speed: jax.Array) -> tuple[jax.Array, jax.Array]:
        start = jc.state(
            position=(0.0, 0.0, 0.2),
            velocity=jnp.array([0.0, -0.1, 0.0]) + speed * jnp.array([0.0, 0.0, 1.0]),
            orientation=(math.cos(half_turn), math.sin(half_turn), 0.0, 0.0),
        )
        motion = jc.simulate(scene, start, times, method=method)
        return motion.position[-1, 1], motion.status

    return toss


class Row(NamedTuple):
    """Of one case: value [m], derivative [s], the same by differences, seconds, and the status."""

    value: float
    derivative: float
    differences: float
    compile_s: float
    run_s: float
    status: jc.Status


def measure(contact: jc.ContactModel, method: jc.EventAligned | jc.Impulse) -> Row:
    """One case. Differences are of fourth order."""
    toss = make_toss(contact, method)
    # one input: forward mode costs least
    with_derivative = jax.jit(lambda speed: jax.jvp(toss, (speed,), (1.0,), has_aux=True))
    speed = jnp.asarray(SPEED)
    began = time.perf_counter()
    compiled = with_derivative.lower(speed).compile()
    compile_s = time.perf_counter() - began
    jax.block_until_ready(compiled(speed))
    began = time.perf_counter()
    value, derivative, status = jax.block_until_ready(compiled(speed))
    run_s = time.perf_counter() - began
    values = jax.jit(toss)

    def difference(step: float) -> jax.Array:
        return (values(speed + step)[0] - values(speed - step)[0]) / (2 * step)

    differences = (4 * difference(STEP) - difference(2 * STEP)) / 3
    return Row(
        float(value),
        float(derivative),
        float(differences),
        compile_s,
        run_s,
        jc.Status(int(status)),
    )


def main() -> None:
    """Print the table."""
    jax.config.update("jax_enable_x64", True)
    head = f"{'':34} {'d y/d vz0':>12} {'truth':>12} {'off by':>8} {'compile s':>9}"
    print(f"{head} {'run s':>8}")

    def line(name: str, row: Row | Published, truth: float) -> str:
        off = abs(row.derivative / truth - 1)
        return (
            f"{name:34} {row.derivative:12.8f} {truth:12.8f} {off:8.1e} "
            f"{row.compile_s:9.1f} {row.run_s:8.3f}"
        )

    for name, case in CASES.items():
        row = measure(*case)
        measured = line(name, row, row.differences)
        print(f"{measured}  {row.status.name}, y = {row.value:.8f} m", flush=True)
    print("published, beside the truth of its authors:")
    for name, published in PUBLISHED.items():
        print(line(name, published, PUBLISHED_TRUTH))


if __name__ == "__main__":
    main()
