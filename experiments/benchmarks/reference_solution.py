r"""Reference solution of the single-sphere benchmarks: a sphere that bounces on the plane z = 0,
with the exact derivatives of its path.

Only numpy and scipy: nothing here shares code with the package that it judges.

The sphere (radius R, mass m, solid) has the state (x, z, vx, vz, w); z is the height of its centre.
With the overlap d = R - z, the slip velocity vt = vx - R w and the overlap rate d' = -vz,

.. math::
    F_n = k d^{3/2} (1 + \chi d'), \quad \chi = \tfrac32 (1 - e)/v_{ref},

    F_t = -\mu F_n v_t / \sqrt{v_t^2 + v_s^2},

    m v_x' = F_t, \quad m v_z' = F_n - m g, \quad \tfrac25 m R w' = -F_t .

A flight is a parabola. A contact that begins at the speed v is measured in its own depth d0 = (m
v^2 / k)^{2/5} and time T = d0 / v, and with d = d0 y^2, d' = v u and dt = 2 y T ds it reads

.. math::
    dy/ds = u, \qquad du/ds = 2 y (\gamma - y^3 (1 + \epsilon u)),

    \epsilon = \chi v, \quad \gamma = g T / v .

These equations are analytic at y = 0, where the force d^{3/2} is not. The angle of the point (u, y)
runs from exactly 0 at touch-down to exactly pi at lift-off; with this *phase* as independent
variable a contact has no end to search for, explicit Runge-Kutta keeps its order, and every
operation is analytic in parameters and start, so that a complex step differentiates it to rounding
error.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import DOP853

RADIUS = 0.01  # m
MASS = 4.0 / 3.0 * np.pi * RADIUS**3 * 2700.0  # kg
GRAVITY = 9.81  # m/s2
REFERENCE_SPEED = 1.0  # m/s, at which the damping is that of the nominal restitution
SLIP_SPEED = 0.1  # m/s, of the regularised friction
NOMINAL = (1e8, 0.8, 0.1)  # stiffness [N/m^1.5], nominal restitution, friction coefficient
STEPS = 64  # of order 8 in each contact

BOUNCE_TRAIN_START = (0.0, RADIUS + 0.3, 3.0, 0.0, 0.0)
BOUNCE_TRAIN_TIMES = 0.01 * np.arange(1, 201)  # s
TARGET = (1.2e8, 0.82, 0.12)  # parameters of the path that the misfit compares with

CALIBRATION_START = (0.0, RADIUS + 0.05, 1.5, 0.0, 0.0)
CALIBRATION_TIMES = np.arange(1, 201) / 240.0  # s
CALIBRATION_NOISE = 1e-4  # m
CALIBRATION_GUESS = (3e7, 0.65, 0.2)
CALIBRATION_BOUNDS = ((1e5, 1e11), (0.3, 0.999), (0.01, 1.0))

_COMPLEX_STEP = 1e-30


class Impact(NamedTuple):
    """A contact at its touch-down; every entry has the shape (lanes,)."""

    speed: np.ndarray  # v, m/s
    duration: np.ndarray  # T = d0 / v, s
    damping: np.ndarray  # epsilon = chi v
    gravity: np.ndarray  # gamma = g T / v
    friction: np.ndarray  # mu
    velocity: np.ndarray  # vx, m/s
    slip: np.ndarray  # vt, m/s

    def at(self, lanes: np.ndarray) -> "Impact":
        return Impact(*(entry[lanes] for entry in self))


def rates(phase: np.ndarray, state: np.ndarray, impact: Impact) -> np.ndarray:
    """Derivative by phase of ``state`` = (sqrt(y^2 + u^2), time [s], slip velocity [m/s], distance
    [m]); shape (4, lanes).
    """
    amplitude, _, slip, _ = state
    y, u = amplitude * np.sin(phase), amplitude * np.cos(phase)
    force = y * y * y * (1.0 + impact.damping * u)
    du = 2.0 * y * (impact.gravity - force)
    turning = (u * u - y * du) / (amplitude * amplitude)
    braking = (
        -7.0 * impact.friction * impact.speed * y * force / np.sqrt(slip * slip + SLIP_SPEED**2)
    )
    velocity = impact.velocity + (slip - impact.slip) / 3.5
    time = 2.0 * y * impact.duration
    return np.stack([u * (y + du) / amplitude, time, braking * slip, time * velocity]) / turning


def advance(phase: np.ndarray, impact: Impact, steps: int) -> np.ndarray:
    """``state`` at ``phase`` (lanes,), from touch-down by ``steps`` equal steps of Dormand and
    Prince's method of order 8.
    """
    zero = np.zeros_like(impact.speed)
    state = np.stack([zero + 1.0, zero, impact.slip, zero])
    step = phase / steps
    for index in range(steps):
        slopes = np.empty((len(DOP853.B), *state.shape), state.dtype)
        for stage, (row, node) in enumerate(zip(DOP853.A, DOP853.C, strict=True)):
            trial = state + step * np.tensordot(row[:stage], slopes[:stage], 1)
            slopes[stage] = rates((index + node) * step, trial, impact)
        state = state + step * np.tensordot(DOP853.B, slopes, 1)
    return state


def phase_at(time: np.ndarray, total: np.ndarray, impact: Impact, steps: int) -> np.ndarray:
    """Phase at ``time`` [s] after touch-down of a contact that lasts ``total``, by Newton's method.

    The unknown is cos(phase), in which time is almost linear; its derivative stays away from zero
    at both ends.
    """
    cosine = 1.0 - 2.0 * time / total
    for _ in range(20):
        phase = np.arccos(cosine)
        state = advance(phase, impact, steps)
        sine = np.sqrt(1.0 - cosine * cosine)
        change = (state[1] - time) * sine / rates(phase, state, impact)[1]
        beyond = np.abs(cosine + change) > 1.0
        cosine = np.where(beyond, 0.5 * (cosine + np.sign(change.real)), cosine + change)
        if np.all(np.abs(change) < 1e-14):
            return np.arccos(cosine)
    raise RuntimeError(
        "The phase of a sample inside a contact did not converge; it may lie within rounding "
        "of touch-down or lift-off."
    )


def trajectory(
    parameters: Sequence[ArrayLike],
    start: Sequence[ArrayLike],
    times: ArrayLike,
    *,
    steps: int = STEPS,
) -> np.ndarray:
    """Path (x, z) [m] of the centre at ``times``; shape (..., len(times), 2).

    Args:
        parameters: stiffness [N/m^1.5], nominal restitution at 1 m/s, friction coefficient: numbers
            or arrays that broadcast, real or complex.
        start: x, z [m], vx, vz [m/s], w [rad/s] (positive when the sphere rolls towards +x); the
            sphere does not overlap the plane.
        times: increasing, from 0 on, s.
        steps: steps of order 8 in each contact.
    """
    columns = 1.0 * np.stack(np.broadcast_arrays(*parameters, *start))
    shape = columns.shape[1:]
    stiffness, restitution, friction, x, z, vx, vz, w = columns.reshape(8, -1)
    times = np.asarray(times, float)
    if np.any(z.real < RADIUS):
        raise ValueError(
            f"start: z = {z.real.min():g} m is below the radius {RADIUS:g} m. The sphere "
            "must not overlap the plane."
        )
    if times.size == 0 or times[0] < 0.0 or np.any(np.diff(times) <= 0.0):
        raise ValueError("times must increase, from 0 s on.")
    path = np.full((x.size, times.size, 2), np.nan, columns.dtype)
    clock = np.zeros_like(x)
    while True:
        speed = np.sqrt(vz * vz + 2.0 * GRAVITY * (z - RADIUS))
        flight = (vz + speed) / GRAVITY
        late = times - clock[:, None]
        lane, sample = np.nonzero((late.real >= 0.0) & (late.real <= flight.real[:, None]))
        late = late[lane, sample]
        path[lane, sample, 0] = x[lane] + vx[lane] * late
        path[lane, sample, 1] = z[lane] + (vz[lane] - 0.5 * GRAVITY * late) * late
        x, clock = x + vx * flight, clock + flight
        if np.all(clock.real > times[-1]):
            return path.reshape(*shape, times.size, 2)

        depth = (MASS * speed * speed / stiffness) ** 0.4
        damping = 1.5 * (1.0 - restitution) / REFERENCE_SPEED * speed
        duration = depth / speed
        impact = Impact(
            speed, duration, damping, GRAVITY * duration / speed, friction, vx, vx - RADIUS * w
        )
        amplitude, total, slip, distance = advance(np.full(x.size, np.pi), impact, steps)
        late = times - clock[:, None]
        lane, sample = np.nonzero((late.real > 0.0) & (late.real < total.real[:, None]))
        if lane.size:
            inside = impact.at(lane)
            phase = phase_at(late[lane, sample], total[lane], inside, steps)
            state = advance(phase, inside, steps)
            path[lane, sample, 0] = x[lane] + state[3]
            path[lane, sample, 1] = RADIUS - depth[lane] * (state[0] * np.sin(phase)) ** 2
        change = (slip - impact.slip) / 3.5
        x, clock, vx, w = x + distance, clock + total, vx + change, w - 2.5 * change / RADIUS
        z, vz = np.full_like(x, RADIUS), speed * amplitude


def misfit(point: ArrayLike, *, steps: int = STEPS) -> np.ndarray:
    """Mean square distance [m2] of the bounce train at ``point`` = (ln k, e, mu, x0, z0, vx0, vz0,
    w0) from that made with ``TARGET``.
    """
    log_stiffness, restitution, friction, *start = np.asarray(point)
    target = trajectory(TARGET, BOUNCE_TRAIN_START, BOUNCE_TRAIN_TIMES, steps=steps)
    path = trajectory(
        (np.exp(log_stiffness), restitution, friction), start, BOUNCE_TRAIN_TIMES, steps=steps
    )
    return np.mean((path - target) ** 2, axis=(-2, -1))


def misfit_gradient(point: ArrayLike | None = None, *, steps: int = STEPS) -> np.ndarray:
    """Gradient (8,) of :func:`misfit` by complex step, at ``point`` or the nominal one."""
    if point is None:
        point = np.array([np.log(NOMINAL[0]), *NOMINAL[1:], *BOUNCE_TRAIN_START])
    lanes = np.asarray(point, float)[:, None] + 1j * _COMPLEX_STEP * np.eye(8)
    return misfit(lanes, steps=steps).imag / _COMPLEX_STEP


def calibration_recording() -> np.ndarray:
    """Path (200, 2) [m] of the calibration workload at ``CALIBRATION_TIMES``, with its noise (seed
    7).
    """
    noise = np.random.default_rng(7).normal(
        scale=CALIBRATION_NOISE, size=(CALIBRATION_TIMES.size, 2)
    )
    return trajectory(NOMINAL, CALIBRATION_START, CALIBRATION_TIMES) + noise


def calibration_guesses(count: int = 50) -> np.ndarray:
    """Random starts (count, 3) of the calibration between its bounds, stiffness log-uniform, the
    others uniform (seed 3).
    """
    low, high = np.transpose(CALIBRATION_BOUNDS)
    fractions = np.random.default_rng(3).uniform(size=(count, 3))
    uniform = low + fractions * (high - low)
    return np.column_stack([low[0] * (high[0] / low[0]) ** fractions[:, 0], uniform[:, 1:]])


def sweep_parameters(lanes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stiffness, restitution and friction coefficient of the parameter sweep."""
    rng = np.random.default_rng(0)
    return (
        np.exp(rng.uniform(np.log(3e7), np.log(3e8), lanes)),
        rng.uniform(0.6, 0.95, lanes),
        rng.uniform(0.05, 0.15, lanes),
    )
