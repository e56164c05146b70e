"""A bouncing ball and a camera with the faults that real ones have, in NumPy and SciPy alone.

Nothing here uses the project: flights are integrated by SciPy (DOP853, 1e-10) with drag and lift,
impacts follow from impulse and momentum, and what the camera records is computed from the motion.
"""

import dataclasses
import functools
import math
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

GRAVITY = 9.81
AIR = 1.2
"""Density of the air [kg/m^3]."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ball:
    """A ball, the table, and how they meet.

    Attributes:
        radius: [m]; ``mass`` [kg]; ``shell``: whether it is hollow.
        restitution: at a normal speed [m/s] before the impact.
        scatter: standard deviation of the restitution from impact to impact [-].
        friction: coefficient of friction [-].
        tangential: slip that comes back of a contact that sticks, over that before [-].
        duration: of a contact at 1 m/s [s]; it goes with speed to the power -1/5.
        drag: coefficient [-]; ``lift``: Magnus coefficient, of ``rho A R |spin x v| / 2``.
        tilt: slope of the table towards x and y [rad]: it falls towards positive axes.
    """

    radius: float = 0.02
    mass: float = 0.0027
    shell: bool = True
    restitution: Callable[[float], float] = lambda speed: 0.8
    scatter: float = 0.0
    friction: float = 0.2
    tangential: float = 0.0
    duration: float = 0.0
    drag: float = 0.45
    lift: float = 0.0
    tilt: tuple[float, float] = (0.0, 0.0)

    @property
    def normal(self) -> np.ndarray:
        """Unit normal of the table (3,)."""
        normal = np.array([math.tan(self.tilt[0]), math.tan(self.tilt[1]), 1.0])
        return normal / np.linalg.norm(normal)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Camera:
    """What a camera makes of a motion; it looks along y.

    Attributes:
        rate: true pictures per second; ``stated_rate``: what the file says.
        sigma: standard deviation of each coordinate [m]; ``correlation``: of neighbouring errors.
        outliers: share of wrong points, off by centimetres.
        roll: angle by which the camera is turned [rad].
        lens: ``k`` of ``r (1 + k r^2)`` [1/m^2]; ``distance``: of the camera, for perspective [m].
        centre: point of the scene on the axis of the camera (x, z) [m].
        pitch, yaw: angles by which it looks up and to the right of the plane's normal [rad].
        scale: recorded over true length; ``aspect``: the same along x, beside ``scale``.
        shutter: delay of a line per height in the picture [s/m]; ``exposure``: of a picture [s].
        axes: what is recorded, ``"xz"``, ``"z"`` or ``"xyz"``.
        spins: axes about which spin is measured, of ``"xyz"``; ``spin_sigma``: its errors [rad/s];
            ``spin_every``: pictures from one measured spin to the next.
    """

    rate: float = 240.0
    stated_rate: float | None = None
    sigma: float = 5e-4
    correlation: float = 0.0
    outliers: float = 0.0
    roll: float = 0.0
    lens: float = 0.0
    distance: float = math.inf
    centre: tuple[float, float] = (0.0, 0.3)
    pitch: float = 0.0
    yaw: float = 0.0
    scale: float = 1.0
    aspect: float = 1.0
    shutter: float = 0.0
    exposure: float = 0.0
    axes: str = "xz"
    spins: str = ""
    spin_sigma: float = 2.0
    spin_every: int = 8


class Motion:
    """The motion of a ball as pieces of time, each a function of it."""

    def __init__(self) -> None:
        self.begins: list[float] = []
        self.pieces: list[Callable[[float], np.ndarray]] = []
        self.turnings: list[np.ndarray] = []
        self.impacts: list[tuple[float, float, float]] = []

    def add(self, begin: float, piece: Callable[[float], np.ndarray], turning: np.ndarray) -> None:
        """The motion from a time on, with its spin."""
        self.begins.append(begin)
        self.pieces.append(piece)
        self.turnings.append(turning)

    def position(self, time: float) -> np.ndarray:
        """Of the centre (3,) [m]."""
        return np.asarray(self.pieces[self._place(time)](time))

    def spin(self, time: float) -> np.ndarray:
        """Angular velocity (3,) [rad/s]."""
        return self.turnings[self._place(time)]

    def _place(self, time: float) -> int:
        return max(int(np.searchsorted(self.begins, time, side="right")) - 1, 0)


def move(
    ball: Ball,
    position: tuple[float, float, float],
    velocity: tuple[float, float, float],
    spin: tuple[float, float, float],
    *,
    until: float,
    seed: int,
) -> Motion:
    """The motion of a ball from time 0 on.

    Args:
        ball: and table, which goes through the origin.
        position: of the centre [m].
        velocity: [m/s].
        spin: [rad/s].
        until: the time that it reaches at least [s].
        seed: of the scatter of its impacts.
    """
    rng = np.random.default_rng(seed)
    area, normal = np.pi * ball.radius**2, ball.normal
    drag = 0.5 * AIR * area * ball.drag / ball.mass
    lift = 0.5 * AIR * area * ball.radius * ball.lift / ball.mass
    turning = np.array(spin, dtype=float)

    def rates(_: float, state: np.ndarray) -> np.ndarray:
        v = state[3:]
        force = -drag * np.linalg.norm(v) * v + lift * np.cross(turning, v)
        return np.concatenate([v, force - [0.0, 0.0, GRAVITY]])

    def gap(_: float, state: np.ndarray) -> float:
        return float(normal @ state[:3] - ball.radius)

    gap.terminal, gap.direction = True, -1.0  # type: ignore[attr-defined]
    motion, time = Motion(), 0.0
    state = np.concatenate([position, velocity])
    while time < until:
        flight = solve_ivp(
            rates,
            (time, until + 1.0),
            state,
            method="DOP853",
            rtol=1e-10,
            atol=1e-12,
            events=gap,
            dense_output=True,
        )
        motion.add(time, functools.partial(_flown, flight.sol), turning)
        if not flight.t_events[0].size:
            break
        time, state = float(flight.t_events[0][0]), flight.y_events[0][0]
        speed = -float(normal @ state[3:])
        if speed < 0.02:
            motion.add(time, functools.partial(_rests, state[:3]), np.zeros(3))
            break
        restitution = ball.restitution(speed) + ball.scatter * rng.standard_normal()
        after, turning = bounce(ball, state[3:], turning, restitution)
        motion.impacts.append((time, speed, restitution))
        lasts = ball.duration * speed**-0.2
        if lasts > 0:
            state = _touch(motion, time, lasts, state, after, normal, turning)
        state = np.concatenate([state[:3], after])
        time += lasts
    return motion


def _flown(solution: Callable[[float], np.ndarray], time: float) -> np.ndarray:
    """Position on a flight."""
    return solution(time)[:3]


def _rests(place: np.ndarray, time: float) -> np.ndarray:
    """Position of a ball at rest."""
    return place


def _touch(
    motion: Motion,
    time: float,
    lasts: float,
    state: np.ndarray,
    after: np.ndarray,
    normal: np.ndarray,
    turning: np.ndarray,
) -> np.ndarray:
    """A contact that lasts: half a sine along the normal, a mean velocity along the table."""
    begin, before = state[:3], state[3:]
    along = (before + after) / 2
    along = along - (along @ normal) * normal
    depth = abs(before @ normal) * lasts / np.pi

    def touching(t: float) -> np.ndarray:
        share = (t - time) / lasts
        return begin + along * (t - time) - normal * depth * math.sin(np.pi * share)

    motion.add(time, touching, turning)
    return np.concatenate([begin + along * lasts, after])


def bounce(
    ball: Ball, velocity: np.ndarray, spin: np.ndarray, restitution: float
) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and spin after an impact: Coulomb friction to the end, or until the contact point
    has given back the slip that it gives back.
    """
    normal, share = ball.normal, 2 / 3 if ball.shell else 2 / 5
    speed = -velocity @ normal
    slip = velocity + speed * normal + np.cross(spin, -ball.radius * normal)
    slip = slip - (slip @ normal) * normal
    sliding = np.linalg.norm(slip)
    # To turn the slip takes (1 + e_t) slip m/(1 + 1/share) of impulse, friction has mu (1 + e) m
    # speed.
    stops = (1 + ball.tangential) * sliding / (1 + 1 / share)
    push = min(stops, ball.friction * (1 + restitution) * speed)
    along = -slip / sliding if sliding > 0 else np.zeros(3)
    after = velocity + (1 + restitution) * speed * normal + push * along
    turn = np.cross(-normal, push * along) / (share * ball.radius)
    return after, spin + turn


def film(motion: Motion, camera: Camera, *, until: float, seed: int) -> tuple[np.ndarray, ...]:
    """What a camera records of a motion: times (n,) as the file states them, and one array (n,)
    for each recorded axis [m].
    """
    rng = np.random.default_rng(seed)
    true_times = np.arange(0.0, until, 1 / camera.rate)
    seen = np.array([_picture(motion, camera, time) for time in true_times])
    noise = rng.standard_normal(seen.shape)
    for i in range(1, len(noise)):
        fresh = math.sqrt(1 - camera.correlation**2)
        noise[i] = camera.correlation * noise[i - 1] + fresh * noise[i]
    seen = seen + camera.sigma * noise
    wrong = rng.random(len(seen)) < camera.outliers
    seen[wrong] += 0.05 * rng.standard_normal((int(wrong.sum()), seen.shape[1]))
    stated = true_times * camera.rate / (camera.stated_rate or camera.rate)
    return (stated, *seen.T)


def film_spin(motion: Motion, camera: Camera, *, until: float, seed: int) -> np.ndarray:
    """Measured spins (n, 1 + axes): times as the file states them [s], and spin about each of
    ``camera.spins`` [rad/s].
    """
    rng = np.random.default_rng(seed)
    true_times = np.arange(0.0, until, 1 / camera.rate)[:: camera.spin_every]
    about = ["xyz".index(axis) for axis in camera.spins]
    seen = np.array([motion.spin(time)[about] for time in true_times])
    seen = seen + camera.spin_sigma * rng.standard_normal(seen.shape)
    stated = true_times * camera.rate / (camera.stated_rate or camera.rate)
    return np.column_stack([stated, seen])


def _picture(motion: Motion, camera: Camera, time: float) -> np.ndarray:
    """The recorded coordinates of one picture, the mean over its exposure."""
    if camera.exposure > 0:
        nodes = time + camera.exposure * (np.arange(9) - 4) / 9
    else:
        nodes = np.array([time])
    return np.mean([_point(motion, camera, node) for node in nodes], axis=0)


def _point(motion: Motion, camera: Camera, time: float) -> np.ndarray:
    """The recorded coordinates of one moment."""

    def projected(t: float) -> np.ndarray:
        x, y, z = motion.position(max(t, 0.0))
        cos, sin = math.cos(camera.roll), math.sin(camera.roll)
        x, z = cos * x - sin * z, sin * x + cos * z
        right, ahead, up = _in_camera(camera, x - camera.centre[0], y, z - camera.centre[1])
        away = np.array([right, up]) / (1 + ahead / camera.distance)
        away = away * (1 + camera.lens * (away @ away))
        return np.array([camera.centre[0] + away[0], y, camera.centre[1] + away[1]])

    if camera.shutter:
        # A line further down is read later: the time at which this point's own line is read.
        top = time - camera.shutter * 2.0
        time = brentq(
            lambda t: t - time + camera.shutter * (projected(t)[2] - camera.centre[1]),
            top,
            time + camera.shutter * 2.0,
            xtol=1e-10,
        )
    point = projected(time) * camera.scale * np.array([camera.aspect, 1.0, 1.0])
    return point[["xyz".index(axis) for axis in camera.axes]]


def _in_camera(camera: Camera, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Coordinates to the right, ahead and upwards of a camera that is turned about the point it
    looks at.
    """
    cos, sin = math.cos(camera.pitch), math.sin(camera.pitch)
    y, z = cos * y + sin * z, cos * z - sin * y
    cos, sin = math.cos(camera.yaw), math.sin(camera.yaw)
    x, y = cos * x - sin * y, cos * y + sin * x
    return x, y, z


def write_csv(
    path: str, camera: Camera, recorded: tuple[np.ndarray, ...], spins: np.ndarray | None = None
) -> None:
    """A file as tracking programs write it: t and the recorded axes, in seconds and metres; spins
    [rad/s] in columns of their own, empty where a picture has none.
    """
    names, rows = ["t", *camera.axes], np.column_stack(recorded)
    if spins is not None:
        names += [f"w{axis}" for axis in camera.spins]
        wide = np.full((len(rows), len(camera.spins)), np.nan)
        wide[np.searchsorted(rows[:, 0], spins[:, 0] - 1e-9)] = spins[:, 1:]
        rows = np.column_stack([rows, wide])
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="")
