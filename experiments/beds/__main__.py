"""All bulk tests: ``python -m experiments.beds [--out DIR] [--only NAME ...]``."""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

# Before JAX starts: one loop over contacts computes all that it has to.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_extra_options=xla_cpu_use_multi_output_fusion")

import jax
import numpy as np

from experiments.beds import pictures
from experiments.beds.compression import compress
from experiments.beds.drum import Drum, turn
from experiments.beds.grains import DIAMETER
from experiments.beds.hopper import beverloo, beverloo_errors, discharge, exponent, fill
from experiments.beds.repose import heap
from experiments.beds.settling import CREEP_TIME, creep, settle
from experiments.beds.simple_shear import flows
from experiments.beds.triaxial import friction_angle, pack, shear

FRICTIONS = (0.1, 0.3, 0.5)
ROLLINGS = (0.0, 0.1, 0.4)
"""Of the pairs of both, those with friction 0.5 or rolling resistance 0.1."""
OPENINGS = (4.5, 5.0, 5.5, 6.0)
"""Of the hopper, in diameters of a grain; through one of 4 they jam."""
DRUM_FRICTIONS = (0.2, 0.5, 0.8)
TRIAXIAL_FRICTIONS = (0.1, 0.3, 0.5)
SHEAR_FRICTIONS = (0.1, 0.3, 0.5)
INERTIAL_NUMBERS = (0.3, 0.1, 0.03, 0.01)
"""Of simple shear, one after the other."""


def settling(out: Path) -> None:
    """Bulk density, weight on the floor, books and creep, and the beds under a lid."""
    compressed = {}
    for friction, resistance in ((0.1, 0.0), (0.5, 0.1)):
        found = settle(friction, resistance)
        print(
            f"settled, friction {friction}, rolling {resistance}: solid fraction "
            f"{found.solid_fraction:.4f}, {found.bulk_density:.0f} kg/m^3; weight on floor and "
            f"walls off by {found.weight_error:.0e}, books by {found.residual:.0e} of the heat, "
            f"speed left {found.speed:.0e} m/s",
            flush=True,
        )
        one = compressed[f"friction {friction}, rolling {resistance}"] = compress(found)
        print(
            f"compressed: modulus {1e-3 * one.modulus:.1f} kPa, unloading "
            f"{1e-3 * one.unloading:.1f} kPa; forces balance to {one.balance:.0e} of the lid's, "
            f"work from force and way off by {one.work_error:.0e}, books by {one.residual:.0e}",
            flush=True,
        )
    early, late = creep(found)
    half = 0.5 * CREEP_TIME
    print(f"creep: {early:.0e} radii in {half:.0f} s, {late:.0e} in {half:.0f} s more", flush=True)
    position = jax.device_get(found.motion.position[-1])
    radius = jax.device_get(found.bed.spheres.radius)
    pictures.draw_compression(out / "bed_compression.png", position, radius, compressed)


def repose(out: Path) -> None:
    """Angles of repose against both coefficients."""
    heaps = {}
    for friction, resistance in sorted(
        {(friction, 0.1) for friction in FRICTIONS} | {(0.5, resistance) for resistance in ROLLINGS}
    ):
        one = heaps[friction, resistance] = heap(friction, resistance)
        print(
            f"repose, friction {friction}, rolling {resistance}: {one.angle:.1f} +- "
            f"{one.error:.1f} degrees, {one.on_plate} grains on the plate, speed left "
            f"{one.speed:.0e} m/s, {one.drift:.0e} degrees in the last 0.3 s",
            flush=True,
        )
    pictures.draw_heaps(
        out / "bed_repose.png",
        {
            f"friction {friction}, rolling {resistance}": heaps[friction, resistance]
            for friction, resistance in ((0.1, 0.1), (0.5, 0.1), (0.5, 0.4))
        },
    )
    pictures.draw_angles(
        out / "bed_repose_angles.png",
        {friction: [heaps[friction, 0.1]] for friction in FRICTIONS},
        {resistance: [heaps[0.5, resistance]] for resistance in ROLLINGS},
    )


def hopper(out: Path) -> None:
    """Mass flow rates through openings of several diameters, and Beverloo's law."""
    filled = fill(0.5, 0.1)
    print(
        f"hopper: filled {filled.height:.2f} of its diameters high, "
        f"{filled.bulk_density:.0f} kg/m^3",
        flush=True,
    )
    found = []
    for opening in OPENINGS:
        one = discharge(filled, opening * DIAMETER)
        found.append(one)
        print(
            f"opening {opening} diameters: {1e3 * one.rate:.1f} +- {1e3 * one.error:.1f} g/s, "
            f"{100 * one.trend:+.0f} % while it empties; {one.lost} grains lost, books off by "
            f"{one.residual:.0e} of the heat",
            flush=True,
        )
    openings, rates, errors, trends = np.transpose(
        [(one.opening, one.rate, one.error, one.trend) for one in found]
    )
    law = beverloo(openings, rates, filled.bulk_density)
    unsure = beverloo_errors(openings, rates, errors, filled.bulk_density)
    print(
        f"Beverloo: C = {law[0]:.2f} +- {unsure[0]:.2f}, k = {law[1]:.2f} +- {unsure[1]:.2f}; with "
        f"k = 1.4 the exponent is {exponent(openings, rates):.2f}; rate while it empties "
        f"{100 * np.mean(trends):+.0f} +- "
        f"{100 * np.std(trends, ddof=1) / np.sqrt(len(trends)):.0f} %",
        flush=True,
    )
    pictures.draw_discharge(out / "bed_hopper.png", found, filled.bulk_density, law)


def drum(out: Path) -> None:
    """Dynamic angles of repose against friction, and torque against the moment of the weight."""
    drums: dict[float, Drum] = {}
    for friction, seed, backwards, endless in (
        *((friction, 0, 0.0, False) for friction in DRUM_FRICTIONS),
        (0.5, 1, 0.0, False),
        (0.5, 0, 1.0, False),
        *((friction, 0, 0.0, True) for friction in DRUM_FRICTIONS),
    ):
        one = turn(friction, 0.1, seed=seed, backwards=backwards, endless=endless)
        drums.setdefault(friction, one)
        print(
            f"{'endless ' if endless else ''}drum, friction {friction}, packing {seed}, "
            f"{backwards:.0f} s backwards: "
            f"{one.angle:.2f} +- {one.error:.2f} degrees, {one.drift:+.2f} in the second half; "
            f"torque {one.torque:.4f} N m, moment of the weight "
            f"{one.moment + one.spun_up:.4f}, carried at {one.carried:.3f} of the drum; "
            f"heat {one.heat:.4f} of the work, books off by {one.residual:.0e} of it",
            flush=True,
        )
    pictures.draw_drums(out / "bed_drum.png", drums)


def triaxial(out: Path) -> None:
    """Packing without walls, and its compression along one axis."""
    tests = {}
    for friction in (0.0, *TRIAXIAL_FRICTIONS):
        packed = pack(friction)
        print(
            f"packed, friction {friction}: solid fraction {packed.solid_fraction:.4f}, "
            f"{packed.coordination:.2f} contacts of those that carry",
            flush=True,
        )
        if friction == 0.0:
            continue
        one = tests[f"friction {friction}"] = shear(packed)
        print(
            f"sheared: angle of friction {one.peak_angle:.1f} degrees at most, "
            f"{friction_angle(one.late_ratio):.1f} later; pressure on the sides off by "
            f"{abs(np.mean(one.side) - 1):.0e}, scatter {np.std(one.side):.0e}; volume "
            f"{100 * one.volume[-1]:+.1f} %, solid fraction {one.solid_fraction[-1]:.3f}",
            flush=True,
        )
    pictures.draw_triaxial(out / "bed_triaxial.png", tests)


def simple_shear(out: Path) -> None:
    """Friction and solid fraction of steady flows."""
    sheared = {}
    for friction in SHEAR_FRICTIONS:
        found = sheared[f"friction {friction}"] = flows(friction, INERTIAL_NUMBERS)
        for one in found:
            print(
                f"simple shear, friction {friction}, inertial number {one.inertial_number}: "
                f"friction of the flow {one.friction[0]:.3f} +- {one.friction[1]:.3f}, solid "
                f"fraction {one.solid_fraction[0]:.4f} +- {one.solid_fraction[1]:.4f}; normal "
                f"stress off by {one.normal_stress - 1:+.0e}",
                flush=True,
            )
    pictures.draw_flows(out / "bed_simple_shear.png", sheared)


TESTS: dict[str, Callable[[Path], None]] = {
    "settling": settling,
    "repose": repose,
    "hopper": hopper,
    "drum": drum,
    "triaxial": triaxial,
    "simple_shear": simple_shear,
}


def main() -> None:
    """Simulate, check, draw."""
    parser = argparse.ArgumentParser(prog="python -m experiments.beds")
    parser.add_argument("--out", type=Path, default=Path("."), help="where pictures are written")
    parser.add_argument("--only", nargs="*", choices=TESTS, default=list(TESTS))
    asked = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    asked.out.mkdir(parents=True, exist_ok=True)
    for name in asked.only:
        began = time.process_time()
        TESTS[name](asked.out)
        print(f"{name}: {time.process_time() - began:.0f} CPU s\n", flush=True)


if __name__ == "__main__":
    main()
