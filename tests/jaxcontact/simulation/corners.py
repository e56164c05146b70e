"""Starts and parameters at which something is zero, infinite, or undecided: the changes of each
from the default case.
"""

import numpy as np

_STILL = {"velocity": (0.0, 0.0, 0.0), "spin": (0.0, 0.0, 0.0)}
_ON_PLANE = {"position": (0.0, 0.0, 0.02)}
_INSIDE = {"position": (0.0, 0.0, 0.0195)}
_NO_GRAVITY = {"gravity": (0.0, 0.0, 0.0)}
_PULLED_AWAY = {"gravity": (0.0, 0.0, 9.81)}
_GRAZING = np.sqrt(2 * 9.81 * 0.1)  # from 0.1 m above the plane, against gravity that points away
_FALL = np.sqrt(2 * 0.1 / 9.81)


def _until(time: float) -> dict:
    return {"duration": time}


CORNERS: dict[str, dict] = {
    "in flight": {},
    "on the plane, at rest": {**_ON_PLANE, **_STILL},
    "on the plane, sliding": {**_ON_PLANE, "velocity": (1.0, 0.0, 0.0)},
    "on the plane, rolling": {**_ON_PLANE, "velocity": (0.2, 0.0, 0.0), "spin": (0.0, 10.0, 0.0)},
    "on the plane, downwards": {**_ON_PLANE, "velocity": (0.0, 0.0, -1.0)},
    "on the plane, upwards": {**_ON_PLANE, "velocity": (0.0, 0.0, 1.0)},
    "overlapping, at rest": {**_INSIDE, **_STILL},
    "overlapping, downwards": {**_INSIDE, "velocity": (0.0, 0.0, -1.0)},
    "overlapping, upwards, too slow to leave": {**_INSIDE, "velocity": (0.0, 0.0, 0.05)},
    "dropped without spin": _STILL,
    "without slip": {"velocity": (0.2, 0.0, 0.0), "spin": (0.0, 10.0, 0.0)},
    "without friction": {"friction": 0.0},
    "without spin": {"spin": (0.0, 0.0, 0.0)},
    "without drag": {"drag": 0.0},
    "without lift": {"lift": 0.0},
    "in a vacuum": {"fluid_density": 0.0},
    "restitution 1": {"restitution": 1.0},
    "restitution 0.3, to rest": {"restitution": 0.3},
    "restitution 0.02": {"restitution": 0.02},
    "no gravity, moving away": {**_NO_GRAVITY, "velocity": (0.0, 0.0, 1.0)},
    "no gravity, along the plane": {**_NO_GRAVITY, "velocity": (1.0, 0.0, 0.0)},
    "no gravity, along the plane, touching": {
        **_NO_GRAVITY,
        **_ON_PLANE,
        "velocity": (1.0, 0.0, 0.0),
    },
    "no gravity, at rest": {**_NO_GRAVITY, **_STILL},
    "no gravity, at rest, touching": {**_NO_GRAVITY, **_ON_PLANE, **_STILL},
    "no gravity, very slow": {**_NO_GRAVITY, **_ON_PLANE, "velocity": (0.0, 0.0, -1e-8)},
    "gravity away": {**_PULLED_AWAY, "velocity": (0.0, 0.0, -2.0)},
    "gravity away, grazing": {**_PULLED_AWAY, "velocity": (0.5, 0.0, -_GRAZING)},
    "gravity away, just touching": {**_PULLED_AWAY, "velocity": (0.5, 0.0, -_GRAZING * (1 + 1e-9))},
    "gravity away, touching": {**_PULLED_AWAY, **_ON_PLANE, "velocity": (1.0, 0.0, 0.0)},
    "all times equal": _until(0.0),
    "all times equal, on the plane, at rest": {**_ON_PLANE, **_STILL, **_until(0.0)},
    "all times equal, on the plane, downwards": {
        **_ON_PLANE,
        "velocity": (0.0, 0.0, -1.0),
        **_until(0.0),
    },
    "more contacts than budgeted": {"restitution": 0.95, **_until(20.0)},
    "last time at touch-down": {**_STILL, **_until(_FALL)},
    "very stiff": {"stiffness": 1e15},
    "very soft": {"stiffness": 1.0},
    "soft": {"stiffness": 1e3},
    "friction nearly without regularisation": {"slip_velocity": 1e-8},
    "friction nearly viscous": {"slip_velocity": 1e3},
    "a grain of powder": {"radius": 1e-5, "mass": 4e-12, "position": (0.0, 0.0, 0.01)},
    "nearly no inertia": {"inertia_ratio": 1e-3},
    "an incline": {"normal": (0.3, 0.1, 1.0), "offset": 0.01},
    "to rest on an incline": {"normal": (0.3, 0.1, 1.0), "restitution": 0.1, **_until(2.0)},
    "a wall": {
        "normal": (2.0, 0.0, 0.0),
        "position": (0.1, 0.0, 0.0),
        "velocity": (-1.0, 0.0, 0.0),
    },
    "from far away": {"position": (0.0, 0.0, 1e3)},
    "very fast": {"velocity": (0.0, 0.0, -1e3)},
}
