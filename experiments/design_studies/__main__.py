"""All designs: ``python -m experiments.design_studies [--out DIR]``."""

import argparse
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from experiments.design_studies import buffer, bumper, pictures, shot
from experiments.design_studies.constrained import largest_difference


def design_shots(out: Path) -> None:
    """The shot with the least speed, and that with the least scatter."""
    gentle = shot.find_gentle()
    forgiving = shot.find_forgiving(gentle)
    for name, found in (("least speed", gentle), ("least scatter", forgiving)):
        forwards, upwards, topspin, time = found.design
        print(
            f"shot, {name}: {forwards:.4f} m/s forwards, {upwards:.4f} m/s upwards, "
            f"{shot.SPIN * topspin:.1f} rad/s, {time:.4f} s; {found.speed:.3f} m/s; "
            f"{1e3 * found.spread:.1f} mm, of 2000 random ones "
            f"{1e3 * np.std(shot.scatter(found, number=2000, seed=0)):.1f} mm"
        )
    differs = largest_difference(shot.spread, forgiving.design, step=1e-4)
    print(f"shot: derivatives of the scatter differ from differences by {differs:.0e}")
    pictures.draw_shots(out / "design_shot.png", gentle, forgiving)


def design_buffers(out: Path) -> None:
    """Buffers of both laws, without and with a limit of the rebound."""
    found = {
        (name, rebound): buffer.find_buffer(family, largest_rebound=rebound)
        for name, family in buffer.FAMILIES.items()
        for rebound in (1.0, 0.2)
    }
    for (name, rebound), design in found.items():
        stop = buffer.stop(buffer.FAMILIES[name].law(jnp.asarray(design)))
        print(
            f"buffer, {name}, rebound at most {rebound:g}: {np.round(design, 4)}, "
            f"{float(jnp.max(stop.force)):.2f} N, {1e3 * float(jnp.max(stop.overlap)):.2f} mm, "
            f"rebound {float(stop.rebound):.3f}"
        )

    def outputs(design: jax.Array) -> jax.Array:
        stop = buffer.stop(buffer.FAMILIES["progressive"].law(design))
        return jnp.stack([stop.force / buffer.LEAST, stop.overlap / buffer.STROKE])[:, 1:-1]

    differs = largest_difference(outputs, found["progressive", 0.2], step=1e-4)
    print(f"buffer: derivatives of force and overlap differ from differences by {differs:.0e}")
    pictures.draw_buffers(out / "design_buffer.png", found)


def design_bumper(out: Path) -> None:
    """The bumper that sends a fan of balls to one place."""
    setting = bumper.Setting()
    design = bumper.find_bumper(bumper.ELLIPSE, setting)
    for name, shape in (("ellipse", np.array(bumper.ELLIPSE)), ("found", design)):
        missed = np.asarray(bumper.misses(jnp.asarray(shape), setting))
        print(
            f"bumper, {name}: {np.round(shape, 4)}, misses {1e3 * np.sqrt(np.mean(missed**2)):.2f} "
            f"mm on average, {1e3 * np.max(np.abs(missed)):.2f} mm at most"
        )
    differs = largest_difference(lambda d: bumper.misses(d, setting), design, step=1e-4)
    print(f"bumper: derivatives of the misses differ from differences by {differs:.0e}")
    pictures.draw_bumpers(out / "design_bumper.png", design, setting)


def main() -> None:
    """Design, check, draw."""
    parser = argparse.ArgumentParser(prog="python -m experiments.design_studies")
    parser.add_argument("--out", type=Path, default=Path("."), help="where pictures are written")
    out = parser.parse_args().out
    jax.config.update("jax_enable_x64", True)
    out.mkdir(parents=True, exist_ok=True)
    for study in (design_bumper, design_buffers, design_shots):
        study(out)


if __name__ == "__main__":
    main()
