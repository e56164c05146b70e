"""A surface that was not level: gravity has a component along it."""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.prior import Prior
from calibration.model.trial_state import Experiment
from jaxcontact import Scene
from jaxcontact.field import put
from jaxcontact.geometry.rotation import rotate


@dataclasses.dataclass(frozen=True)
class GravityTilt:
    """Angle between gravity and the normal of the surface, which stays along z: a ball on it is
    pulled towards positive ``towards``.

    Args:
        towards: ``"x"`` or ``"y"``.
        prior: what is known of it beforehand.
    """

    shared: ClassVar[bool] = True
    towards: str = "x"
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if self.towards not in ("x", "y"):
            raise InputError(f"GravityTilt: towards = {self.towards!r} is not 'x' or 'y'.")

    def check(self, trials: Any) -> None:
        """Raise ``InputError`` where nothing was measured along that axis."""
        if not any(self.towards in trial.axes for trial in trials):
            raise InputError(
                f"nuisance: GravityTilt towards {self.towards!r}, but nothing was measured "
                "along it.",
                remedy="Leave it out.",
            )

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The angle."""
        label = f"tilt of gravity towards {self.towards}"
        return (
            nuisance_unknown(
                f"tilt_{self.towards}",
                unit="rad",
                label=label,
                symbol=f"a_{self.towards}",
                prior=self.prior,
            ),
        )

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """Level."""
        return np.zeros(1)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Turn gravity, its magnitude unchanged."""
        gravity = jnp.asarray(experiment.scene.gravity, dtype=float)
        along = jnp.asarray([1.0, 0.0, 0.0] if self.towards == "x" else [0.0, 1.0, 0.0])
        turned = rotate(gravity, values[0] * jnp.cross(gravity / jnp.linalg.norm(gravity), along))
        return experiment._replace(scene=put(experiment.scene, "gravity", turned))
