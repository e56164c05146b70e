"""The set-up of an experiment: gravity and its direction, height and tilt of the surface, gain of a
force sensor.
"""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Parameter, nuisance_parameter
from calibration.model.prior import Prior
from calibration.model.trial_state import TrialState
from calibration.nuisances.base import MeasuredTrial, Nuisance, UnfittedTrial
from calibration.nuisances.camera import LengthScale
from jaxcontact.geometry.rotation import rotate
from jaxcontact.parameters import get, put


@dataclasses.dataclass(frozen=True)
class Gravity(Nuisance):
    """The acceleration of free fall, downwards, one value for all recordings; excludes
    ``LengthScale``.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> nothing = cal.nuisances.UnfittedTrial((), None, None, scene, ())
        >>> cal.nuisances.Gravity().start(nothing)
        array([9.81])
    """

    shared: ClassVar[bool] = True
    same_effect_as: ClassVar[tuple[type[Nuisance], ...]] = (LengthScale,)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """Its magnitude."""
        return (
            nuisance_parameter(
                "gravity",
                unit="m/s^2",
                label="acceleration of free fall",
                symbol="g",
                transform="log",
            ),
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """Gravity of the scene."""
        return np.asarray([np.linalg.norm(np.asarray(trial.scene.gravity, dtype=float))])

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set its magnitude."""
        gravity = jnp.asarray(trial_state.scene.gravity, dtype=float)
        return trial_state._replace(
            scene=put(trial_state.scene, "gravity", values[0] * gravity / jnp.linalg.norm(gravity))
        )


@dataclasses.dataclass(frozen=True)
class _Tilt(Nuisance):
    """An angle towards a horizontal axis of the recordings, the same in all."""

    shared: ClassVar[bool] = True
    towards: str = "x"
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if self.towards not in ("x", "y"):
            name = type(self).__name__
            raise InputError(f"{name}: towards = {self.towards!r} is not 'x' or 'y'.")

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` where nothing was measured along that axis."""
        if not any(self.towards in trial.axes for trial in trials):
            raise InputError(
                f"nuisance: {type(self).__name__} towards {self.towards!r}, but nothing was "
                "measured along it.",
                remedy="Leave it out.",
            )


@dataclasses.dataclass(frozen=True)
class GravityTilt(_Tilt):
    """Angle between gravity and the downward axis of the recording, which pulls a ball towards
    positive ``towards``. The surface stays as it is: level, unless ``SurfaceTilt`` tilts it.

    Args:
        towards: ``"x"`` or ``"y"``.
        prior: what is known of it beforehand.

    Example:
        >>> tilt = cal.nuisances.GravityTilt("y", prior=cal.Normal(0.0, 5e-3))
        >>> tilt.parameters(())[0].about.label
        'tilt of gravity towards y'
    """

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The angle."""
        label = f"tilt of gravity towards {self.towards}"
        return (
            nuisance_parameter(
                f"tilt_{self.towards}",
                unit="rad",
                label=label,
                symbol=f"a_{self.towards}",
                prior=self.prior,
            ),
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Turn gravity, its magnitude unchanged."""
        gravity = jnp.asarray(trial_state.scene.gravity, dtype=float)
        along = jnp.asarray([1.0, 0.0, 0.0] if self.towards == "x" else [0.0, 1.0, 0.0])
        turned = rotate(gravity, values[0] * jnp.cross(gravity / jnp.linalg.norm(gravity), along))
        return trial_state._replace(scene=put(trial_state.scene, "gravity", turned))


@dataclasses.dataclass(frozen=True)
class SurfaceTilt(_Tilt):
    """Slope of the plane in the axes of the recording, for all recordings: it falls towards
    positive ``towards``, by the tangent of the angle.

    A table that is not level has it alone; a camera that is turned shows it together with a
    ``GravityTilt`` of the opposite sign.

    Args:
        towards: ``"x"`` or ``"y"``.
        prior: what is known of the angle beforehand [rad].

    Example:
        >>> tilt = cal.nuisances.SurfaceTilt("x", prior=cal.Normal(0.0, np.radians(1.0)))
        >>> tilt.parameters(())[0].about.label
        'slope of the surface towards x'
    """

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The angle."""
        return (
            nuisance_parameter(
                f"surface_tilt_{self.towards}",
                unit="rad",
                label=f"slope of the surface towards {self.towards}",
                symbol=f"b_{self.towards}",
                prior=self.prior,
            ),
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Tilt the plane; another slope along the other axis stays as it is."""
        normal = jnp.asarray(get(trial_state.scene, "surfaces.0.normal"), dtype=float)
        sideways = normal.at["xy".index(self.towards)].set(jnp.tan(values[0]) * normal[2])
        return trial_state._replace(scene=put(trial_state.scene, "surfaces.0.normal", sideways))


@dataclasses.dataclass(frozen=True)
class SurfaceHeight(Nuisance):
    """Height of the plane in each recording, in recorded units: the origin of a camera is nobody's
    table top. Of a plane that slopes it is the height below the place where the motion begins, as
    far as nuisances before this one in the list of the problem set it.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> detected = cal.measurements.BounceTimes([0.32, 0.75, 1.05]).detect(scene)
        >>> trial = cal.nuisances.UnfittedTrial((), None, detected, scene, (2,))
        >>> cal.nuisances.SurfaceHeight().start(trial)
        array([0.])
    """

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials with heights."""
        return "z" in trial.axes

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The height."""
        return (
            nuisance_parameter(
                "surface_height", unit="m", label="height of the surface", symbol="h"
            ),
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """From the height of the centre at the bounces."""
        detected = trial.first_guess("SurfaceHeight()")
        return np.asarray([detected.height - float(trial.scene.bodies.radius)])

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Move the plane along z."""
        normal = jnp.asarray(get(trial_state.scene, "surfaces.0.normal"), dtype=float)
        point = trial_state.position.at[2].set(values[0] * trial_state.scale)
        offset = normal @ point / jnp.linalg.norm(normal)
        return trial_state._replace(scene=put(trial_state.scene, "surfaces.0.offset", offset))


@dataclasses.dataclass(frozen=True)
class ForceGain(Nuisance):
    """Shown force over true force, for all trials with a force trace.

    The impulse of an impact at a known speed tells it: with an unknown speed, gain and speed cannot
    be told apart.

    Args:
        prior: what is known of it beforehand.

    Example:
        >>> gain = cal.nuisances.ForceGain(prior=cal.LogNormal(1.0, 1.02))
        >>> [parameter.name for parameter in gain.parameters(())]
        ['force_gain']
    """

    shared: ClassVar[bool] = True
    prior: Prior | None = None

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` without a force trace."""
        if not any(item.needs_force for trial in trials for item in trial.measured):
            raise InputError("nuisance: ForceGain() without a ForceTrace.", remedy="Leave it out.")

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The factor."""
        return (
            nuisance_parameter(
                "force_gain",
                unit="-",
                label="shown over true force",
                symbol="G",
                transform="log",
                prior=self.prior,
            ),
        )

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set the gain."""
        return trial_state._replace(gain=values[0])
