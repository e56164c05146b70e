"""What a camera does to positions: scale, aspect, roll, lens, depth, exposure, shutter."""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.model.apparatus import Camera
from calibration.model.parameter import Parameter, nuisance_parameter
from calibration.model.prior import Prior
from calibration.model.trial_state import TrialState
from calibration.nuisances.base import MeasuredTrial, Nuisance, UnfittedTrial


@dataclasses.dataclass(frozen=True)
class LengthScale(Nuisance):
    """One factor from recorded to true lengths, for all recordings: a pixel scale that was measured
    a few percent wrong.

    Gravity makes it visible. It excludes ``Gravity``, which has the same effect.

    Example:
        >>> [parameter.name for parameter in cal.nuisances.LengthScale().parameters(())]
        ['length_scale']
    """

    shared: ClassVar[bool] = True

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The factor."""
        return (
            nuisance_parameter(
                "length_scale",
                unit="-",
                label="true over recorded length",
                symbol="lambda",
                transform="log",
            ),
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the scale."""
        return trial_state._replace(scale=values[0])


@dataclasses.dataclass(frozen=True)
class PixelAspect(Nuisance):
    """True over recorded length along x, relative to that along z, for all recordings;
    ``LengthScale`` is that along z.

    Without forces along x it changes nothing but the initial velocity, and is reported as not
    determined; friction and drag tell it.

    Args:
        prior: what is known of it beforehand.

    Example:
        >>> aspect = cal.nuisances.PixelAspect(prior=cal.LogNormal(1.0, 1.01))
        >>> [parameter.name for parameter in aspect.parameters(())]
        ['pixel_aspect']
    """

    shared: ClassVar[bool] = True
    prior: Prior | None = None

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` without pictures."""
        check_pictures("PixelAspect", trials)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The ratio."""
        label = "scale along x over scale along z"
        return (
            nuisance_parameter(
                "pixel_aspect", unit="-", label=label, symbol="a", transform="log", prior=self.prior
            ),
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the ratio."""
        return trial_state._replace(camera=trial_state.camera._replace(aspect=values[0]))


def check_pictures(
    owner: str, trials: Sequence[MeasuredTrial], *, one_camera: bool = False
) -> None:
    """Raise ``InputError`` where no trial shows x and z; ``one_camera``: or where one has depth,
    too.
    """
    if not any({"x", "z"} <= set(trial.axes) for trial in trials):
        raise InputError(
            f"nuisance: {owner} needs a recording of x and z.",
            remedy="Leave it out, or give both axes of the picture.",
        )
    if one_camera:
        check_one_camera(owner, trials)


def check_one_camera(owner: str, trials: Sequence[MeasuredTrial]) -> None:
    """Raise ``InputError`` where a trial has depth."""
    if any("y" in trial.axes for trial in trials):
        raise InputError(
            f"nuisance: {owner} is for one camera; a recording with y comes from several.",
            remedy="Leave it out.",
        )


@dataclasses.dataclass(frozen=True)
class CameraRoll(Nuisance):
    """Angle by which the camera was turned about its axis, for all recordings: surface and gravity
    appear tilted alike.

    Args:
        prior: what is known of it beforehand.

    Example:
        >>> roll = cal.nuisances.CameraRoll(prior=cal.Normal(0.0, np.radians(1.0)))
        >>> [parameter.name for parameter in roll.parameters(())]
        ['camera_roll']
    """

    shared: ClassVar[bool] = True
    prior: Prior | None = None

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` without pictures."""
        check_pictures("CameraRoll", trials, one_camera=True)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The angle."""
        return (
            nuisance_parameter(
                "camera_roll",
                unit="rad",
                label="roll of the camera",
                symbol="phi",
                late=True,
                prior=self.prior,
            ),
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Turn the camera."""
        return trial_state._replace(camera=trial_state.camera._replace(roll=values[0]))


@dataclasses.dataclass(frozen=True)
class LensDistortion(Nuisance):
    """Distortion of all recordings by a lens: a radius ``r`` from the centre of the picture is
    recorded as ``r (1 + k r^2)``, and where the lens is not centred, a place ``a`` is shifted by
    ``r^2 p + 2 (a . p) a``.

    ``k`` is negative for a barrel, positive for a pincushion. The initial state is that of an
    undistorted picture.

    A centre that is off by ``c`` acts as ``p = -k c`` to first order. So ``p`` tells the centre
    where there is distortion, ``c = -p k / (k^2 + k_0^2)``, and what this leaves of it is
    decentring: both are linear in what is unknown as long as little is distorted, so that a fit
    finds them from anywhere, and exact where much is.

    Source: Brown, Photogrammetric Engineering 32 (1966) 444-462.

    Args:
        centre: of the picture, ``(x, z)`` in recorded lengths [m].
        prior: what is known of ``k`` beforehand.
        decentring: what is known of both components of ``p`` beforehand [1/m], where ``centre`` is
            a guess; by default the lens is centred there.
        faint: ``k_0`` [1/m^2], a distortion that is hardly seen.

    Example:
        >>> lens = cal.nuisances.LensDistortion(centre=(0.3, 0.2))
        >>> lens.parameters(())[0].about.unit
        '1/m^2'
    """

    shared: ClassVar[bool] = True
    centre: tuple[float, float]
    prior: Prior | None = None
    decentring: Prior | None = None
    faint: float = 0.02

    def __post_init__(self) -> None:
        if not 0 < self.faint < np.inf:
            raise InputError(
                f"LensDistortion: faint = {self.faint!r} is not a positive number.",
                remedy="Give it in 1/m^2.",
            )

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` without pictures of one camera."""
        if not any({"x", "z"} & set(trial.axes) for trial in trials):
            raise InputError(
                "nuisance: LensDistortion needs a recording of positions.", remedy="Leave it out."
            )
        check_one_camera("LensDistortion", trials)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The coefficient, and the decentring where the centre is a guess."""
        coefficient = nuisance_parameter(
            "lens_distortion",
            unit="1/m^2",
            label="radial distortion of the lens",
            symbol="k",
            late=True,
            prior=self.prior,
        )
        if self.decentring is None:
            return (coefficient,)
        return coefficient, *(
            nuisance_parameter(
                f"lens_decentring_{axis}",
                unit="1/m",
                label=f"decentring of the lens along {axis}",
                symbol=f"p_{axis}",
                late=True,
                prior=self.decentring,
            )
            for axis in "xz"
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the coefficients and the centre."""
        x, z = self.centre
        strength, centre = values[0], jnp.asarray([x, 0.0, z])
        camera = trial_state.camera._replace(distortion=strength, centre=centre)
        if self.decentring is not None:
            across = jnp.stack([values[1], jnp.zeros_like(strength), values[2]])
            square = strength**2 + self.faint**2
            camera = camera._replace(
                centre=centre - across * strength / square,
                decentring=across * self.faint**2 / square,
            )
        return trial_state._replace(camera=camera)


@dataclasses.dataclass(frozen=True)
class Perspective(Nuisance):
    """Lengths that get smaller along the picture, in all recordings: the camera does not look at
    right angles at the plane of the motion, as one does that looks down at a table.

    A place ``a`` of the picture, seen from its centre, is recorded as ``a/(1 + p a_towards)``. A
    camera at the distance ``d`` that is inclined by ``phi`` has ``p = tan(phi)/d``. Heights that
    shrink upwards look like drag and like a rolling shutter.

    Args:
        towards: along which lengths get smaller, ``"x"`` or ``"z"``.
        centre: point of the picture on the axis of the camera, ``(x, z)`` in recorded lengths [m],
            where lengths are true; beside ``LensDistortion`` that of the lens is taken.
        prior: what is known of ``p`` beforehand.

    Example:
        >>> perspective = cal.nuisances.Perspective("z", centre=(0.0, 0.5))
        >>> perspective.parameters(())[0].name
        'perspective_z'
    """

    shared: ClassVar[bool] = True
    towards: str = "z"
    centre: tuple[float, float] = (0.0, 0.0)
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if self.towards not in ("x", "z"):
            raise InputError(
                f"Perspective: towards = {self.towards!r} is no axis of a picture.",
                remedy="Give 'x' or 'z'.",
            )

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` where no single camera shows that axis."""
        if not any(self.towards in trial.axes for trial in trials):
            raise InputError(
                f"nuisance: Perspective needs a recording of {self.towards}.",
                remedy="Leave it out, or give this axis of the picture.",
            )
        check_one_camera("Perspective", trials)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The coefficient."""
        return (
            nuisance_parameter(
                f"perspective_{self.towards}",
                unit="1/m",
                label=f"lengths that get smaller along {self.towards}",
                symbol=f"p_{self.towards}",
                late=True,
                prior=self.prior,
            ),
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the coefficient; that along the other axis stays as it is."""
        camera = trial_state.camera
        before = jnp.zeros(3) if camera.convergence is None else camera.convergence
        convergence = before.at["xyz".index(self.towards)].set(values[0])
        camera = with_centre(camera._replace(convergence=convergence), self.centre)
        return trial_state._replace(camera=camera)


def with_centre(camera: Camera, centre: tuple[float, float]) -> Camera:
    """The camera with the centre of its picture, unless that of its lens is known."""
    if camera.distortion is not None:
        return camera
    return camera._replace(centre=jnp.asarray([centre[0], 0.0, centre[1]]))


@dataclasses.dataclass(frozen=True)
class DepthMotion(Nuisance):
    """Velocity away from a (pinhole) camera in each recording: apparent lengths shrink in
    proportion to the distance.

    Recorded lengths are true in the plane in which the ball is at first. Only ``velocity/distance``
    shows, so the distance must be given.

    Args:
        distance: from the camera to the ball at first [m].
        centre: point of the picture on the axis of the camera, ``(x, z)`` in recorded lengths [m];
            beside ``LensDistortion`` that of the lens is taken.
        prior: what is known of the velocity beforehand.

    Example:
        >>> depth = cal.nuisances.DepthMotion(distance=1.5, centre=(0.3, 0.2))
        >>> depth.parameters((0, 2))[0].about.label
        'velocity away from the camera'
    """

    distance: float
    centre: tuple[float, float]
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if not 0 < self.distance < np.inf:
            raise InputError(
                f"DepthMotion: distance = {self.distance!r} is not a positive number.",
                remedy="Give it in m.",
            )

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Recordings of one camera."""
        return bool(trial.axes) and "y" not in trial.axes

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` without pictures of one camera."""
        check_pictures("DepthMotion", trials, one_camera=True)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The velocity."""
        label = "velocity away from the camera"
        return (
            nuisance_parameter(
                "depth_velocity",
                unit="m/s",
                label=label,
                symbol="v_y0",
                late=True,
                prior=self.prior,
            ),
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the velocity and the perspective."""
        camera = trial_state.camera._replace(nearness=1.0 / self.distance)
        camera = with_centre(camera, self.centre)
        return trial_state._replace(
            velocity=trial_state.velocity.at[1].set(values[0]), camera=camera
        )


@dataclasses.dataclass(frozen=True)
class CameraDrift(Nuisance):
    """Velocity of the picture in each recording: of a camera that is not still, or of one towards
    which the ball moves beside its axis.

    The floor seems to sink or to rise, so that impacts tell the part along z. That along x is told
    by friction alone, where the spin is known.

    Args:
        prior: what is known of either part beforehand [m/s].

    Example:
        >>> drift = cal.nuisances.CameraDrift(prior=cal.Normal(0.0, 0.02))
        >>> [parameter.name for parameter in drift.parameters((0, 2))]
        ['drift_x', 'drift_z']
    """

    prior: Prior | None = None

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Recordings of one camera."""
        return bool(trial.axes) and "y" not in trial.axes

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` without pictures of one camera."""
        check_pictures("CameraDrift", trials, one_camera=True)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """Both parts."""
        return tuple(
            nuisance_parameter(
                f"drift_{axis}",
                unit="m/s",
                label=f"drift of the picture along {axis}",
                symbol=f"w_{axis}",
                late=True,
                prior=self.prior,
            )
            for axis in "xz"
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the velocity."""
        drift = jnp.stack([values[0], jnp.zeros_like(values[0]), values[1]])
        return trial_state._replace(camera=trial_state.camera._replace(drift=drift))


@dataclasses.dataclass(frozen=True)
class Exposure(Nuisance):
    """Exposure time of the pictures, for all recordings; the time of a picture is the middle of its
    exposure.

    A position is averaged over the exposure. In free flight that is a shift of ``g t^2/24``, which
    nobody sees; beside an impact it is up to ``(1 + e) v t/8``.

    Args:
        known: the exposure time [s]; by default it is found.
        prior: what is known of it beforehand.
        guess: where the search begins [s].

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> nothing = cal.nuisances.UnfittedTrial((), None, None, scene, ())
        >>> cal.nuisances.Exposure(guess=1e-3).start(nothing)
        array([0.001])
        >>> cal.nuisances.Exposure(known=1e-3).parameters(())
        ()
    """

    shared: ClassVar[bool] = True
    known: float | None = None
    prior: Prior | None = None
    guess: float = 2e-3

    def __post_init__(self) -> None:
        for name, value in (("known", self.known), ("guess", self.guess)):
            if value is not None and not 0 < value < np.inf:
                raise InputError(
                    f"Exposure: {name} = {value!r} is not a positive number.",
                    remedy="Give it in s.",
                )

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` without pictures."""
        if not any(trial.axes for trial in trials):
            raise InputError(
                "nuisance: Exposure needs recordings of positions.", remedy="Leave it out."
            )

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The exposure time, where it is not known."""
        if self.known is not None:
            return ()
        return (
            nuisance_parameter(
                "exposure",
                unit="s",
                label="exposure time",
                symbol="t_e",
                transform="log",
                late=True,
                prior=self.prior,
            ),
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """The guess."""
        return np.zeros(0) if self.known is not None else np.asarray([self.guess])

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the exposure time."""
        exposure = jnp.asarray(self.known) if self.known is not None else values[0]
        return trial_state._replace(camera=trial_state.camera._replace(exposure=exposure))


@dataclasses.dataclass(frozen=True)
class RollingShutter(Nuisance):
    """Time by which a rolling shutter reads a line later than one that lies a recorded length above
    it, for all recordings: ``t = t_picture - line_time z``.

    A picture of 0.5 m height that is read in 15 ms has 0.03 s/m. A ball that falls is seen where it
    is later, one that rises where it is earlier, so that a restitution comes out wrong without it.

    Args:
        prior: what is known of it beforehand [s/m].

    Example:
        >>> shutter = cal.nuisances.RollingShutter(prior=cal.Normal(0.0, 0.03))
        >>> shutter.parameters(())[0].about.unit
        's/m'
    """

    shared: ClassVar[bool] = True
    prior: Prior | None = None

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` without heights."""
        if not any("z" in trial.axes for trial in trials):
            raise InputError(
                "nuisance: RollingShutter needs recordings of heights.", remedy="Leave it out."
            )

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The time for a length."""
        return (
            nuisance_parameter(
                "line_time",
                unit="s/m",
                label="delay of lower lines (rolling shutter)",
                symbol="t_l",
                prior=self.prior,
            ),
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the delay."""
        return trial_state._replace(camera=trial_state.camera._replace(line_time=values[0]))
