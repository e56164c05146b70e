"""Recordings as newcomers make them, by plain NumPy: a ball with drag that bounces on a table."""

import functools
import itertools

import numpy as np

GRAVITY, AIR = 9.81, 1.2
RADIUS, MASS = 0.02, 0.0027
RESTITUTION, DRAG = 0.85, 0.45


def heights(
    times, *, release=0.6, speed=0.0, restitution=RESTITUTION, drag=DRAG, radius=RADIUS, mass=MASS
):
    """Height of the centre above the table at ``times`` [m], in steps of 20 microseconds; of
    several restitutions one for each impact in turn.
    """
    each = tuple(np.atleast_1d(restitution))
    return np.array(_heights(tuple(times), release, speed, each, drag, radius, mass))


@functools.cache
def _heights(times, release, speed, restitution, drag, radius, mass):
    """The same, of what can be looked up: many recordings are one motion with other noise."""
    each = itertools.cycle(restitution)
    step, pull = 2e-5, 0.5 * AIR * drag * np.pi * radius**2 / mass
    z, v, now, seen = release, speed, 0.0, []
    for time in times:
        while now < time:
            a = -GRAVITY - pull * v * abs(v)
            z, v, now = z + v * step + a * step**2 / 2, v + a * step, now + step
            if z < radius and v < 0:
                e = next(each)
                z, v = radius + e * (radius - z), -e * v
        seen.append(z)
    return seen


def drop(*, rate=240.0, duration=1.4, noise=5e-4, seed=0, **motion):
    """Times [s] and measured heights [m] of a drop."""
    times = np.arange(int(duration * rate)) / rate
    measured = heights(times, **motion)
    return times, measured + noise * np.random.default_rng(seed).standard_normal(times.size)


def write(path, header, *columns):
    """A CSV file."""
    rows = [",".join(f"{value:.7g}" for value in row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join([header, *rows]) + "\n")
    return path
