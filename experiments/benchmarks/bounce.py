"""Speed and accuracy of one bouncing sphere: ``python -m experiments.benchmarks.bounce [W1 W2 W3
W5]``.

Each workload prints one JSON line. Errors are measured against ``reference_solution``, an
independent integration in NumPy. A plain fixed step under ``lax.scan`` runs beside it in the same
process, so that the ratios do not depend on the machine.

W1: one bounce train (2 s, 12 contacts), 200 samples. W2: a sweep of parameter sets in two threads.
W3: gradient of a misfit with respect to 8 inputs. W5: cal.fit of stiffness, restitution and
friction to a noisy recording from 50 random starts.
"""

import argparse
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import calibration as cal
import jaxcontact as jc
from experiments.benchmarks import reference_solution as reference
from jaxcontact.sweep import sweep as simulate_sweep

TIMES = np.concatenate([[0.0], reference.BOUNCE_TRAIN_TIMES])
METHOD = jc.EventAligned(max_contacts=14, at_once=True)
FIXED_STEP = 1e-5
THREADS = 2
UNKNOWNS = (
    "contact.normal.stiffness",
    "contact.normal.restitution",
    "contact.friction.coefficient",
)


def scene(log_stiffness: Any, restitution: Any, friction: Any) -> jc.Scene:
    """The sphere of the workloads: restitution is nominal at 1 m/s (Hunt and Crossley)."""
    law = jc.RESTITUTION_LAWS["hunt_crossley_1975"]
    normal = jc.HuntCrossley(
        stiffness=jnp.exp(log_stiffness),
        restitution=restitution,
        reference_speed=1.0,
        restitution_law=law,
    )
    tangential = jc.RegularizedCoulomb(coefficient=friction, slip_velocity=reference.SLIP_SPEED)
    bodies = jc.spheres(radius=reference.RADIUS, mass=reference.MASS)
    return jc.Scene(bodies=bodies, contact=jc.ContactModel(normal=normal, friction=tangential))


def initial(x: Any, z: Any, vx: Any, vz: Any, w: Any) -> jc.State:
    """State in the plane; ``w`` rolls forward."""
    zero = jnp.zeros_like(jnp.asarray(x, dtype=float))
    return jc.state(
        position=jnp.stack([x, zero, z]),
        velocity=jnp.stack([vx, zero, vz]),
        spin=jnp.stack([zero, w, zero]),
    )


def positions(inputs: jax.Array, method: Any) -> jax.Array:
    """(x, z) at the 200 samples for inputs (ln k, e, mu, x0, z0, vx0, vz0, w0)."""
    trajectory = jc.simulate(scene(*inputs[:3]), initial(*inputs[3:]), TIMES, method=method)
    return trajectory.position[1:][:, jnp.array([0, 2])]


def nominal() -> np.ndarray:
    """The inputs of W1 and W3."""
    stiffness, restitution, friction = reference.NOMINAL
    return np.asarray([np.log(stiffness), restitution, friction, *reference.BOUNCE_TRAIN_START])


def timed(function: Callable[..., Any], *arguments: Any, repeats: int) -> tuple[Any, float, float]:
    """Result, seconds of the first call (compilation) and median seconds of the later ones."""
    began = time.perf_counter()
    result = jax.block_until_ready(function(*arguments))
    first = time.perf_counter() - began
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        jax.block_until_ready(function(*arguments))
        seconds.append(time.perf_counter() - began)
    return result, first, float(np.median(seconds))


def emit(workload: str, **figures: Any) -> None:
    """One JSON line."""
    print(json.dumps({"workload": workload, **figures}), flush=True)


def bounce_train(quick: bool) -> None:
    """W1."""
    exact = reference.trajectory(
        reference.NOMINAL, reference.BOUNCE_TRAIN_START, reference.BOUNCE_TRAIN_TIMES
    )
    for name, method, repeats in (
        ("event_aligned", METHOD, 50),
        ("fixed_step_1e-5", jc.FixedStep(step=FIXED_STEP), 5),
    ):
        found, first, median = timed(
            jax.jit(lambda inputs, method=method: positions(inputs, method)),
            nominal(),
            repeats=repeats,
        )
        error = float(np.abs(np.asarray(found) - exact).max())
        emit("W1", method=name, compile_s=first - median, median_s=median, max_error_m=error)


def in_threads(
    function: Callable[[jax.Array], jax.Array], inputs: np.ndarray, threads: int
) -> np.ndarray:
    """``function`` of interleaved parts of ``inputs``, at the same time; a compiled function keeps
    one core busy.
    """
    with ThreadPoolExecutor(threads) as pool:
        parts = list(
            pool.map(
                lambda part: np.asarray(function(part)),
                [inputs[first::threads] for first in range(threads)],
            )
        )
    result = np.empty((len(inputs), *parts[0].shape[1:]))
    for first, part in enumerate(parts):
        result[first::threads] = part
    return result


def sweep(quick: bool) -> None:
    """W2."""
    method = jc.EventAligned(max_contacts=50, contact_steps=8, at_once=True)

    @jax.jit
    def run(inputs: jax.Array) -> jax.Array:
        trajectory = simulate_sweep(
            lambda one: (scene(*one[:3]), initial(*one[3:])), inputs, TIMES, method=method
        )
        return trajectory.position[:, 1:, jnp.array([0, 2])]

    for lanes in (1000,) if quick else (1000, 10000):
        parameters = np.stack(reference.sweep_parameters(lanes), axis=-1)
        inputs = np.concatenate(
            [
                np.log(parameters[:, :1]),
                parameters[:, 1:],
                np.tile(reference.BOUNCE_TRAIN_START, (lanes, 1)),
            ],
            axis=1,
        )
        found, first, median = timed(
            lambda inputs: in_threads(run, inputs, THREADS), inputs, repeats=5
        )
        exact = [
            reference.trajectory(
                tuple(part.T), reference.BOUNCE_TRAIN_START, reference.BOUNCE_TRAIN_TIMES
            )
            for part in np.array_split(parameters, lanes // 1000)
        ]
        errors = np.abs(found - np.concatenate(exact)).max(axis=(1, 2))
        emit(
            "W2",
            method="sweep",
            lanes=lanes,
            threads=THREADS,
            compile_s=first - median,
            median_s=median,
            lanes_per_s=lanes / median,
            max_error_m=float(np.max(errors)),
            median_error_m=float(np.median(errors)),
            errors_of_lanes=lanes,
        )
    parameters = np.stack(reference.sweep_parameters(100), axis=-1)
    inputs = np.concatenate(
        [
            np.log(parameters[:, :1]),
            parameters[:, 1:],
            np.tile(reference.BOUNCE_TRAIN_START, (100, 1)),
        ],
        axis=1,
    )
    fixed = jax.jit(jax.vmap(lambda inputs: positions(inputs, jc.FixedStep(step=FIXED_STEP))))
    _, first, median = timed(fixed, inputs, repeats=1)
    emit(
        "W2",
        method="fixed_step_1e-5",
        lanes=100,
        compile_s=first - median,
        median_s=median,
        lanes_per_s=100 / median,
    )


def gradient(quick: bool) -> None:
    """W3."""
    target = reference.trajectory(
        reference.TARGET, reference.BOUNCE_TRAIN_START, reference.BOUNCE_TRAIN_TIMES
    )
    exact = np.asarray(reference.misfit_gradient())

    def misfit(inputs: jax.Array, method: Any) -> jax.Array:
        return jnp.sum((positions(inputs, method) - target) ** 2) / (2 * len(target))

    cases: list[tuple[str, Any, Any, int]] = [
        ("forward", METHOD, jax.jacfwd, 30),
        ("reverse", METHOD, jax.grad, 30),
    ]
    cases += [("fixed_step_1e-5_forward", jc.FixedStep(step=FIXED_STEP), jax.jacfwd, 3)]
    for name, method, transform, repeats in cases:
        function = jax.jit(transform(lambda inputs, method=method: misfit(inputs, method)))
        found, first, median = timed(function, nominal(), repeats=repeats)
        errors = np.abs(np.asarray(found) / exact - 1)
        memory = function.lower(nominal()).compile().memory_analysis()
        emit(
            "W3",
            method=name,
            compile_s=first - median,
            median_s=median,
            relative_errors=[float(f"{error:.2g}") for error in errors],
            max_relative_error=float(errors.max()),
            temporary_bytes=getattr(memory, "temp_size_in_bytes", None),
        )


def calibration_problem() -> cal.Problem:
    """W5: stiffness, restitution and friction from one recording whose initial state is known."""
    x, z = np.asarray(reference.calibration_recording()).T
    position = np.stack([x, np.full_like(x, np.nan), z], axis=-1)
    sigma = np.full_like(position, reference.CALIBRATION_NOISE)
    recording = cal.Recording(
        name="W5", time=reference.CALIBRATION_TIMES, position=position, sigma=sigma
    )
    x0, z0, vx0, vz0, w0 = reference.CALIBRATION_START
    known = cal.nuisances.KnownState(
        position=(x0, 0.0, z0), velocity=(vx0, 0.0, vz0), spin=(0.0, w0, 0.0)
    )
    stiffness, restitution, friction = reference.CALIBRATION_GUESS
    law = jc.RESTITUTION_LAWS["hunt_crossley_1975"]
    normal = jc.HuntCrossley(
        stiffness=stiffness, restitution=restitution, reference_speed=1.0, restitution_law=law
    )
    tangential = jc.RegularizedCoulomb(coefficient=friction, slip_velocity=reference.SLIP_SPEED)
    bodies = jc.spheres(radius=reference.RADIUS, mass=reference.MASS)
    return cal.Problem(
        jc.Scene(bodies=bodies, contact=jc.ContactModel(normal=normal, friction=tangential)),
        [recording],
        free=UNKNOWNS,
        nuisance=[known],
        method=jc.EventAligned(max_contacts=20, contact_steps=8, at_once=True, level=True),
    )


def calibration(quick: bool) -> None:
    """W5."""
    problem = calibration_problem()
    began = time.perf_counter()
    cal.fit(problem)
    first = time.perf_counter() - began
    seconds, reached, found = [], 0, None
    guesses = reference.calibration_guesses(10 if quick else 50)
    for guess in guesses:
        began = time.perf_counter()
        found = cal.fit(problem, start=dict(zip(UNKNOWNS, map(float, guess), strict=True)))
        seconds.append(time.perf_counter() - began)
        reached += found.chi2_per_dof < 1.2
    emit(
        "W5",
        method="levenberg_marquardt",
        compile_s=first - float(np.median(seconds)),
        median_s=float(np.median(seconds)),
        max_s=float(np.max(seconds)),
        starts=len(guesses),
        reached=int(reached),
        last={name: [item.value, item.sd] for name, item in found.parameters.items()}
        if found
        else None,
    )


WORKLOADS = {"W1": bounce_train, "W2": sweep, "W3": gradient, "W5": calibration}


def main() -> None:
    """Run the workloads named on the command line, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "workloads", nargs="*", metavar="W", help=f"any of {', '.join(WORKLOADS)}; all by default"
    )
    parser.add_argument("--quick", action="store_true", help="fewer lanes and starts")
    options = parser.parse_args()
    parameter = sorted(set(options.workloads) - set(WORKLOADS))
    if parameter:
        parser.error(f"unknown workload {parameter[0]}; there are {', '.join(WORKLOADS)}")
    jax.config.update("jax_enable_x64", True)
    for name in options.workloads or WORKLOADS:
        WORKLOADS[name](options.quick)


if __name__ == "__main__":
    main()
