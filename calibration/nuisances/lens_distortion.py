"""A lens whose pictures bulge or pinch."""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.prior import Prior
from calibration.model.trial_state import Experiment
from calibration.nuisances.pixel_aspect import check_pictures
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class LensDistortion:
    """Radial distortion of all recordings: a radius ``r`` from the centre of the picture is
    recorded as ``r (1 + k r^2)``.

    ``k`` is negative for a barrel, positive for a pincushion. The initial state is that of an
    undistorted picture.

    Args:
        centre: of the picture, ``(x, z)`` in recorded lengths [m].
        prior: what is known of ``k`` beforehand.
    """

    shared: ClassVar[bool] = True
    centre: tuple[float, float]
    prior: Prior | None = None

    def check(self, trials: Any) -> None:
        """Raise ``InputError`` without pictures of one camera."""
        check_pictures("LensDistortion", trials, one_camera=True)

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The coefficient."""
        label = "radial distortion of the lens"
        return (
            nuisance_unknown(
                "lens_distortion",
                unit="1/m^2",
                label=label,
                symbol="k",
                late=True,
                prior=self.prior,
            ),
        )

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """None."""
        return np.zeros(1)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the coefficient."""
        centre = jnp.asarray([self.centre[0], 0.0, self.centre[1]])
        return experiment._replace(
            camera=experiment.camera._replace(distortion=values[0], centre=centre)
        )
