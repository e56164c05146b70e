"""The first impact of a motion of which only impacts are known."""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.trial_state import Experiment
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class FirstImpact:
    """Time and speed of the first impact of each trial: a ball dropped from an unknown height that
    only a microphone followed.

    The body moves along the normal of the first surface, which must be a plane. For trials without
    positions and without a known initial state.
    """

    shared: ClassVar[bool] = False

    @staticmethod
    def concerns(trial: Any) -> bool:
        """Trials whose motion nothing else gives."""
        return not trial.axes and trial.initial is None

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """Time and approach speed."""
        return (
            nuisance_unknown(
                "impact_time", unit="s", label="time of the first impact", symbol="t_1"
            ),
            nuisance_unknown(
                "impact_speed",
                unit="m/s",
                label="speed of the first impact",
                symbol="v_1",
                transform="log",
            ),
        )

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """From the measured impacts."""
        if not hasattr(reading, "first_impact"):
            raise InputError(
                "FirstImpact() in a trial without bounce times or a force trace.",
                remedy="Give Trial(..., initial=...).",
            )
        return np.asarray([reading.first_impact, reading.speed])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Start at the first touch."""
        plane: Any = experiment.scene.surfaces[0]
        normal = plane.unit_normal
        across = experiment.velocity - normal * (experiment.velocity @ normal)
        return experiment._replace(
            position=normal * (plane.offset + experiment.scene.bodies.radius),
            velocity=across - values[1] * normal,
            start=jnp.asarray(values[0]),
        )
