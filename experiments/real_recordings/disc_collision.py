"""Two discs on an air table that collide once: uniform motion, a rigid impact of the library,
uniform motion, seen by a tilted camera.

Measurements of the calibration package are of one sphere in each trial, so this is a small
least-squares problem of its own. A disc of radius R moves in its plane as a sphere of radius R with
the same mass and the moment of inertia ``m R^2/2`` does, so the collision is that of
``jc.simulate`` with two spheres, Newton's restitution and Coulomb friction.
"""

import dataclasses
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optimistix
from jax.flatten_util import ravel_pytree
from scipy import special

import jaxcontact as jc
from experiments.real_recordings.disc_tracks import Tracks

DISC = 1 / 2
"""Moment of inertia of a homogeneous disc about its axis, over ``m R^2``."""

POSITION_NOISE, ANGLE_NOISE = 1e-3, 0.04
"""First guesses [m], [rad]; the residuals decide."""


class Unknowns(NamedTuple):
    """Everything that is fitted.

    Attributes:
        position: where the centres would be at the time of meeting without the collision [m], ``(2,
            2)``.
        velocity: before [m/s], ``(2, 2)``.
        angle: of the markers at the collision [rad], ``(2,)``.
        spin: before [rad/s], ``(2,)``.
        diameter: logarithm of the distance of the centres at contact, in metres.
        restitution: logistic coordinate of the normal restitution.
        perspective: change of the scale of the picture over its plane [1/m], ``(2,)``; 0 for a
            camera that looks straight down.
        mass_ratio: logarithm of the mass of disc 1 over that of disc 0; 0 for equal discs.
    """

    position: Any
    velocity: Any
    angle: Any
    spin: Any
    diameter: Any
    restitution: Any
    perspective: Any
    mass_ratio: Any


class Seen(NamedTuple):
    """What the camera sees: positions ``(frames, 2, 2)`` and marker angles ``(frames, 2)``; time
    and place of the collision [s], [m].
    """

    position: Any
    angle: Any
    touch: Any
    centre: Any


def in_space(plane: Any) -> jax.Array:
    """Vectors in the plane ``(2, 2)`` as vectors in space ``(2, 3)``."""
    return jnp.concatenate([plane, jnp.zeros((2, 1))], axis=1)


def about_normal(spin: Any) -> jax.Array:
    """Spins about the normal of the table ``(2,)`` as vectors ``(2, 3)``."""
    return jnp.stack([jnp.zeros(2), jnp.zeros(2), spin], axis=1)


def projected(perspective: Any, centre: Any, position: Any) -> jax.Array:
    """Point of the picture ``c + (X - c)/(1 + q.(X - c))`` of a point ``X`` of the table; straight
    lines stay straight. ``(..., 2)``.
    """
    offset = position - centre
    return centre + offset / (1.0 + jnp.sum(perspective * offset, axis=-1, keepdims=True))


def collision(parameters: Unknowns, friction: Any, time: Any, meeting: Any) -> jc.Trajectory:
    """The motion of both discs from the first of the frames on.

    Args:
        parameters: of the motion.
        friction: coefficient between the rims.
        time: of the frames [s].
        meeting: time at which ``parameters.position`` holds [s].
    """
    radius = jnp.exp(parameters.diameter) / 2 * jnp.ones(2)
    scene = jc.Scene(
        bodies=jc.Spheres(
            radius=radius,
            mass=jnp.exp(jnp.stack([jnp.zeros(()), parameters.mass_ratio])),
            inertia_ratio=DISC,
        ),
        surfaces=(),
        contact=jc.ContactModel(
            normal=jc.NewtonRestitution(restitution=jax.nn.sigmoid(parameters.restitution)),
            friction=jc.Coulomb(coefficient=friction),
        ),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(
        position=in_space(parameters.position + parameters.velocity * (time[0] - meeting)),
        velocity=in_space(parameters.velocity),
        spin=about_normal(parameters.spin),
    )
    return jc.simulate(scene, start, times=time - time[0], method=jc.Impulse(max_contacts=2))


def seen(parameters: Unknowns, friction: Any, time: Any, meeting: Any) -> Seen:
    """What the camera sees of the collision."""
    motion = collision(parameters, friction, time, meeting)
    position, spin = motion.position[..., :2], motion.spin[..., 2]
    assert motion.contacts is not None
    touch = time[0] + motion.contacts.touch_down[0]
    angle = parameters.angle + spin * (time - touch)[:, None]
    # The scale is true where the discs touch. A direction is turned by the derivative of the
    # projection.
    centre = jnp.mean(parameters.position + (touch - meeting) * parameters.velocity, axis=0)
    camera = partial(projected, parameters.perspective, centre)
    direction = jnp.stack([jnp.cos(angle), jnp.sin(angle)], axis=-1)
    picture, turned = jax.jvp(camera, (position,), (direction,))
    swing = (
        jnp.sum(direction * turned, axis=-1),
        direction[..., 0] * turned[..., 1] - direction[..., 1] * turned[..., 0],
    )
    return Seen(picture, angle + jnp.arctan2(swing[1], swing[0]), touch, centre)


class Data(NamedTuple):
    """Frames of a fit, NaN replaced, with weights 0 or 1 and the noise [m], [rad].

    ``held``: 1 where perspective and mass ratio stay 0. As numbers, not as another form of the
    parameters: all fits share compiled code.
    """

    time: Any
    meeting: Any
    position: Any
    angle: Any
    position_present: Any
    angle_present: Any
    noise: Any
    held: Any


HOLD = 1e6
"""Weight with which what is held stays where it is."""


def residuals(parameters: Unknowns, given: tuple[Data, Any]) -> tuple[jax.Array, Seen]:
    """Differences over their noise, 0 where nothing was measured; and what the camera sees."""
    data, friction = given
    picture = seen(parameters, friction, data.time, data.meeting)
    by_position = data.position_present * (picture.position - data.position) / data.noise[0]
    by_angle = data.angle_present * (picture.angle - data.angle) / data.noise[1]
    held = HOLD * jnp.append(
        data.held[0] * parameters.perspective, data.held[1] * parameters.mass_ratio
    )
    return jnp.concatenate([by_position.ravel(), by_angle.ravel(), held]), picture


class Solved(NamedTuple):
    """The minimum, residuals and Jacobian there, what the camera sees."""

    parameters: Unknowns
    residual: Any
    jacobian: Any
    picture: Seen


@jax.jit
def solved(start: Unknowns, data: Data, friction: Any) -> Solved:
    """Levenberg-Marquardt from ``start``; compiled once for each form of the parameters and
    number of frames.
    """
    solver: Any = optimistix.LevenbergMarquardt(rtol=1e-9, atol=1e-9)
    given = (data, friction)
    function: Any = residuals
    options = {"jac": "fwd"}
    found = optimistix.least_squares(
        function,
        solver,
        start,
        args=given,
        has_aux=True,
        max_steps=200,
        throw=False,
        options=options,
    ).value
    flat, back = ravel_pytree(found)

    def both(x: Any) -> tuple[Any, tuple[Any, Seen]]:
        residual, picture = residuals(back(x), given)
        return residual, (residual, picture)

    jacobian, (residual, picture) = jax.jacfwd(both, has_aux=True)(flat)
    return Solved(found, residual, jacobian, picture)


@dataclasses.dataclass(frozen=True)
class Collision:
    """A fit.

    Attributes:
        parameters: at the minimum.
        sd: standard errors, of the same form.
        friction: that was assumed.
        noise: [m], [rad], from the residuals.
        chi2: sum of squares, over the noise; ``dof`` degrees of freedom.
        meeting: time at which ``parameters.position`` holds [s].
        tracks: that were fitted; ``picture`` what the model sees in their frames.
    """

    parameters: Unknowns
    sd: Unknowns
    friction: float
    noise: tuple[float, float]
    chi2: float
    dof: int
    meeting: float
    tracks: Tracks
    picture: Seen

    @property
    def restitution(self) -> tuple[float, float]:
        """Value and standard error."""
        value = float(special.expit(self.parameters.restitution))
        return value, value * (1 - value) * float(self.sd.restitution)

    @property
    def normal(self) -> np.ndarray:
        """Unit vector from the centre of disc 1 to that of disc 0 where they touch, ``(2,)``."""
        since = self.picture.touch - self.meeting
        apart = np.diff(
            self.parameters.position[::-1] + since * self.parameters.velocity[::-1], axis=0
        )[0]
        return np.asarray(apart / np.linalg.norm(apart))

    @property
    def diameter(self) -> tuple[float, float]:
        """Distance of the centres at contact, in recorded lengths [m], and its standard error."""
        value = float(np.exp(self.parameters.diameter))
        return value, value * float(self.sd.diameter)

    @property
    def mass_ratio(self) -> tuple[float, float]:
        """Mass of disc 1 over that of disc 0, and its standard error: 1 and nearly 0 where they
        were taken as equal.
        """
        value = float(np.exp(self.parameters.mass_ratio))
        return value, value * float(self.sd.mass_ratio)


def data_of(
    tracks: Tracks, noise: tuple[float, float], *, reach: float, perspective: bool, mass_ratio: bool
) -> Data:
    """Frames as numbers to fit, those farther than ``reach`` [s] from the meeting with weight 0."""
    meeting = tracks.time[tracks.meeting]
    near = np.abs(tracks.time - meeting) <= reach
    position, angle = (
        np.isfinite(tracks.position) & near[:, None, None],
        np.isfinite(tracks.angle) & near[:, None],
    )
    numbers = Data(
        time=tracks.time,
        meeting=meeting,
        position=np.nan_to_num(tracks.position),
        angle=np.nan_to_num(tracks.angle),
        position_present=position,
        angle_present=angle,
        noise=noise,
        held=(not perspective, not mass_ratio),
    )
    return Data(*(jnp.asarray(part, dtype=float) for part in numbers))


def first_guess(tracks: Tracks) -> Unknowns:
    """Straight lines through the frames before the meeting."""
    before = np.arange(tracks.time.size) < tracks.meeting
    since = tracks.time - tracks.time[tracks.meeting]
    lines = np.empty((2, 3, 2))
    for disc in (0, 1):
        rows = np.concatenate([tracks.position[:, disc], tracks.angle[:, disc, None]], axis=1)
        used = before & np.all(np.isfinite(rows), axis=1)
        lines[disc] = np.polynomial.polynomial.polyfit(since[used], rows[used], 1).T
    nearest = np.nanmin(np.linalg.norm(tracks.position[:, 0] - tracks.position[:, 1], axis=1))
    numbers = Unknowns(
        position=lines[:, :2, 0],
        velocity=lines[:, :2, 1],
        angle=lines[:, 2, 0],
        spin=lines[:, 2, 1],
        diameter=np.log(0.97 * nearest),  # the frames miss the contact itself
        restitution=np.log(0.9 / 0.1),
        perspective=np.zeros(2),
        mass_ratio=0.0,
    )
    return Unknowns(*(jnp.asarray(value, dtype=float) for value in numbers))


ROUNDS = 3
"""Fits until the noise that the residuals show has settled."""


def fit_collision(
    tracks: Tracks,
    *,
    friction: float,
    reach: float = np.inf,
    perspective: bool = True,
    mass_ratio: bool = False,
    noise: tuple[float, float] | None = None,
) -> Collision:
    """Fit one collision.

    Args:
        tracks: frames before and after it.
        friction: coefficient between the rims.
        reach: frames within this of the meeting are used [s].
        perspective: whether the scale changes over the picture.
        mass_ratio: whether the masses may differ.
        noise: of positions [m] and angles [rad]; from the residuals when left out.
    """
    found, current = first_guess(tracks), noise or (POSITION_NOISE, ANGLE_NOISE)
    active = len(ravel_pytree(found)[0]) - 2 * (not perspective) - (not mass_ratio)
    for _ in range(1 if noise else ROUNDS):
        data = data_of(tracks, current, reach=reach, perspective=perspective, mass_ratio=mass_ratio)
        end = jax.tree.map(np.asarray, solved(found, data, jnp.asarray(friction, dtype=float)))
        found = jax.tree.map(jnp.asarray, end.parameters)
        used = int(np.sum(data.position_present) + np.sum(data.angle_present))
        if noise is None:
            current = noise_of(end.residual, data, share=1 - active / used)
    _, back = ravel_pytree(found)
    covariance = np.linalg.inv(end.jacobian.T @ end.jacobian)
    near = np.any(np.asarray(data.angle_present) > 0, axis=1)
    return Collision(
        parameters=end.parameters,
        sd=jax.tree.map(np.asarray, back(jnp.asarray(np.sqrt(np.diag(covariance))))),
        friction=friction,
        noise=current,
        chi2=float(end.residual @ end.residual),
        dof=used - active,
        meeting=float(tracks.time[tracks.meeting]),
        tracks=Tracks(tracks.time[near], tracks.position[near], tracks.angle[near]),
        picture=Seen(
            end.picture.position[near],
            end.picture.angle[near],
            float(end.picture.touch),
            end.picture.centre,
        ),
    )


def noise_of(residual: np.ndarray, data: Data, *, share: float) -> tuple[float, float]:
    """Noise of positions and angles from residuals over an earlier guess of it.

    Args:
        residual: of positions, angles, and what is held.
        data: that were fitted.
        share: degrees of freedom over number of measured values, taken as the same for both.
    """
    split = data.position.size
    parts = residual[:split], residual[split : split + data.angle.size]
    counts = float(np.sum(data.position_present)), float(np.sum(data.angle_present))
    first, second = (
        float(scale) * float(np.sqrt(part @ part / (share * count)))
        for scale, part, count in zip(np.asarray(data.noise), parts, counts, strict=True)
    )
    return first, second


def profile_of_friction(
    tracks: Tracks, best: Collision, coefficients: np.ndarray, *, reach: float
) -> np.ndarray:
    """Chi-squared of the best fit with each friction coefficient, with the noise of ``best``,
    ``(coefficients,)``.

    Args:
        tracks: frames.
        best: fit of the same frames.
        coefficients: to try.
        reach: as in ``fit_collision``.
    """
    return np.asarray(
        [
            fit_collision(tracks, friction=float(mu), reach=reach, noise=best.noise).chi2
            for mu in coefficients
        ]
    )
