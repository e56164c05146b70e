"""Pixels that are not square."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.prior import Prior
from calibration.model.trial_state import Experiment
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class PixelAspect:
    """True over recorded length along x, relative to that along z, for all recordings;
    ``LengthScale`` is that along z.

    Without forces along x it changes nothing but the initial velocity, and is reported as not
    determined; friction and drag tell it.

    Args:
        prior: what is known of it beforehand.
    """

    shared: ClassVar[bool] = True
    prior: Prior | None = None

    def check(self, trials: Any) -> None:
        """Raise ``InputError`` without pictures."""
        check_pictures("PixelAspect", trials)

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The ratio."""
        label = "scale along x over scale along z"
        return (
            nuisance_unknown(
                "pixel_aspect", unit="-", label=label, symbol="a", transform="log", prior=self.prior
            ),
        )

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """One."""
        return np.ones(1)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the ratio."""
        return experiment._replace(camera=experiment.camera._replace(aspect=values[0]))


def check_pictures(owner: str, trials: Any, *, one_camera: bool = False) -> None:
    """Raise ``InputError`` where no trial shows x and z; ``one_camera``: or where one has depth,
    too.
    """
    if not any({"x", "z"} <= set(trial.axes) for trial in trials):
        raise InputError(
            f"nuisance: {owner} needs a recording of x and z.",
            remedy="Leave it out, or give both axes of the picture.",
        )
    if one_camera and any("y" in trial.axes for trial in trials):
        raise InputError(
            f"nuisance: {owner} is for one camera; a recording with y comes from several.",
            remedy="Leave it out.",
        )
