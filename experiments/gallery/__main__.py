"""All pictures, or those named: ``python -m experiments.gallery [NAME ...] [--out DIR]``."""

import argparse
from pathlib import Path

import jax

from experiments.drawing import save
from experiments.gallery.pictures import PICTURES


def main() -> None:
    """Draw and write."""
    parser = argparse.ArgumentParser(prog="python -m experiments.gallery")
    parser.add_argument("names", nargs="*", choices=[[], *PICTURES], help="all by default")
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    given = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.names or PICTURES:
        path = given.out / f"{name}.png"
        save(PICTURES[name](), path)
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
