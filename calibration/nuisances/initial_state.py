"""The state at the first sample."""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from calibration.detection.bounces import Reading
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.trial_state import Experiment
from calibration.nuisances.nuisance import AXES
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class InitialState:
    """Position and velocity at the first used sample, in recorded units, and the spin where it can
    matter.

    Args:
        spin: whether the initial spin is unknown, too; else it is zero.
        lift: whether spin lifts the ball: then the spin about the vertical matters, too, as it
            bends the path sideways.
    """

    shared: ClassVar[bool] = False
    spin: bool = False
    lift: bool = False

    @staticmethod
    def concerns(trial: Any) -> bool:
        """Trials with positions."""
        return bool(trial.axes)

    def _spin_axes(self, axes: tuple[int, ...]) -> tuple[int, ...]:
        if not self.spin or 0 not in axes:
            return ()
        # A planar recording sees spin about y only; without lift, spin about the vertical has no
        # effect on a horizontal plane.
        return (1,) if 1 not in axes else (0, 1, 2) if self.lift else (0, 1)

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """Components on the measured axes."""
        positions = [
            nuisance_unknown(
                f"position_{AXES[i]}", unit="m", label=f"initial {AXES[i]}", symbol=f"{AXES[i]}_0"
            )
            for i in axes
        ]
        velocities = [
            nuisance_unknown(
                f"velocity_{AXES[i]}",
                unit="m/s",
                label=f"initial velocity along {AXES[i]}",
                symbol=f"v_{AXES[i]}0",
            )
            for i in axes
        ]
        spins = [
            nuisance_unknown(
                f"spin_{AXES[i]}",
                unit="rad/s",
                label=f"initial spin about {AXES[i]}",
                symbol=f"w_{AXES[i]}0",
                late=not self.lift,
            )
            for i in self._spin_axes(axes)
        ]
        return (*positions, *velocities, *spins)

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """From the first flight; no spin."""
        picked = list(axes)
        return np.concatenate(
            [
                reading.position[picked],
                reading.velocity[picked],
                np.zeros(len(self._spin_axes(axes))),
            ]
        )

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the initial state."""
        n, picked = len(axes), jnp.array(axes)
        spin_axes = self._spin_axes(axes)
        spin = (
            experiment.spin.at[jnp.array(spin_axes)].set(values[2 * n :])
            if spin_axes
            else experiment.spin
        )

        def in_scene(recorded: Any) -> Any:
            return experiment.camera.in_scene(
                jnp.zeros(3).at[picked].set(recorded), experiment.scale
            )[picked]

        return experiment._replace(
            position=experiment.position.at[picked].set(in_scene(values[:n])),
            velocity=experiment.velocity.at[picked].set(in_scene(values[n : 2 * n])),
            spin=spin,
        )
