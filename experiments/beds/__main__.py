"""All bulk tests: ``python -m experiments.beds [--out DIR] [--only NAME ...]``."""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

# Before JAX starts: one loop over contacts computes all that it has to.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_extra_options=xla_cpu_use_multi_output_fusion")

import jax

from experiments.beds import pictures
from experiments.beds.compression import compress
from experiments.beds.repose import heap
from experiments.beds.settling import CREEP_TIME, creep, settle

FRICTIONS = (0.1, 0.3, 0.5)
ROLLINGS = (0.0, 0.1, 0.4)
"""Of the pairs of both, those with friction 0.5 or rolling resistance 0.1."""


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


TESTS: dict[str, Callable[[Path], None]] = {"settling": settling, "repose": repose}


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
